import { addressesPerAccountMax } from '@probe-mesh/contracts/alert/alert-address'
import { CreateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { alertScenario } from '../app/alerting/testing.ts'
import { removeMember } from '../login/members.ts'
import { createThrottle } from '../login/throttle.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { createUnsubscribeTokens } from '../accounts/link-tokens.ts'
import { confirmAlertAddress, endAlertAddress, findAddressToConfirm } from './address-links.ts'
import { askAlertAddress, type RuleContext } from './alert-addresses.ts'
import { createAlertRule, deleteAlertRule, listAlertRules, updateAlertRule } from './alert-rules.ts'
import { getCheckReceivers } from './reach.ts'
import { ruleContext } from './testing.ts'

const dayMs = 86_400_000
const database = useTestDatabase()
const systemSql = database.use({ role: 'probe_mesh_system' })
const sql = database.use({ role: 'probe_mesh_account' })
let game: ReturnType<typeof alertScenario>
let context: RuleContext
let writer: Writer
let users = 0

beforeEach(async () => {
  game = alertScenario(systemSql)
  const now = (): number => game.clock.nowMs
  context = ruleContext(sql, { now, sendsMail: true, throttle: createThrottle({ sql: systemSql, now }) })
  const actor = { kind: 'user', id: 'u', name: 'user', address: '127.0.0.1' } as const
  writer = { accountId: await game.account(), actor }
  await member('owner@example.org')
})

/** @returns the id of a new member of the account */
const member = async (name: string, isConfirmed = true): Promise<string> => {
  const [id, now] = [uuidv7(Date.now()), new Date(game.clock.nowMs)]
  await systemSql`
    insert into users (id, account_id, email, password_hash, created_at, confirmed_at)
    values (${id}, ${writer.accountId}, ${`${(users += 1)}-${name}`}, '', ${now}, ${isConfirmed ? now : null})`
  return id
}
const emailOf = async (id: string): Promise<string> =>
  (await systemSql<{ email: string }[]>`select email from users where id = ${id}`)[0]?.email ?? ''
/** An address that no other test has. */
const address = (): string => `outside-${(users += 1)}@example.net`

const create = (more: object, as = context) =>
  createAlertRule(as, writer, { body: CreateAlertRuleInput.parse({ name: 'ops', ...more }) })
const done = <T extends object>(result: T | Refusal): T => {
  if (isRefusal(result))
    throw new Error(`${result.refused}: ${result.message} ${JSON.stringify(result.errors)}`)
  return result
}
const stateOf = async (email: string) =>
  (await listAlertRules(context, writer)).addresses.find((each) => each.email === email)?.state
const idOf = async (email: string): Promise<string> =>
  (await listAlertRules(context, writer)).addresses.find((each) => each.email === email)?.id ?? ''
const ask = async (email: string) => askAlertAddress(context, writer, { params: { id: await idOf(email) } })
/** The tokens of the links mailed to an address, oldest first. */
const tokensTo = async (email: string): Promise<string[]> => {
  const mails = await systemSql<{ message: { text: string } }[]>`
    select message from deliveries where recipient = ${email} and message ->> 'subject' like 'Confirm%'
    order by sequence`
  return mails.map(({ message }) => /confirm\?token=([\w-]{43})\n/.exec(message.text)?.[1] ?? '')
}
const confirm = async (email: string) =>
  confirmAlertAddress({ sql: systemSql, now: context.now }, (await tokensTo(email)).at(-1) ?? '')
const end = async (email: string) => {
  const tokens = createUnsubscribeTokens('the key of the tests')
  return endAlertAddress({ sql: systemSql, tokens, now: context.now }, tokens.of(await idOf(email)))
}
/** Subjects of alerts by recipient. */
const alertsTo = async (): Promise<Record<string, string[]>> => {
  const mails = (await game.deliveries(writer.accountId)).filter(
    ({ message }) => !message.subject.startsWith('Confirm'),
  )
  const grouped = Map.groupBy(mails, ({ recipient }) => recipient ?? '')
  return Object.fromEntries([...grouped].map(([to, of]) => [to, of.map(({ message }) => message.subject)]))
}
const failNew = async (name: string): Promise<void> => {
  const [check = ''] = await game.checks(writer.accountId, [name])
  await game.flip([check], 'down')
  await game.act()
  game.pass(60_000)
  await game.act()
}

describe('a confirmation', () => {
  test('is mailed once for an account and address, and its link works for 7 days', async () => {
    const email = address()
    done(await create({ addresses: [email] }))
    done(await create({ addresses: [email.toUpperCase()] }))
    const [token = ''] = await tokensTo(email)
    expect(await tokensTo(email)).toHaveLength(1)
    expect(await stateOf(email)).toBe('waiting')
    game.pass(7 * dayMs - 1)
    expect(await findAddressToConfirm({ sql: systemSql, now: context.now }, token)).toMatchObject({ email })
    game.pass(1)
    expect(await stateOf(email)).toBe('expired')
    expect(await confirm(email)).toMatchObject({ refused: 'SV-3001' })
    expect(await stateOf(email)).toBe('expired')
  })

  test('that is sent again replaces the former link', async () => {
    const email = address()
    done(await create({ addresses: [email] }))
    const [former = ''] = await tokensTo(email)
    game.pass(8 * dayMs)
    expect(done(await ask(email))).toMatchObject({ email, state: 'waiting' })
    const links = { sql: systemSql, now: context.now }
    expect(await confirmAlertAddress(links, former)).toMatchObject({ refused: 'SV-3001' })
    expect(await confirm(email)).toEqual({ accountName: 'test', email })
    expect(await confirm(email)).toEqual({ accountName: 'test', email })
    expect(await stateOf(email)).toBe('confirmed')
    expect(await ask(email)).toMatchObject({ refused: 'SV-3002' })
  })

  test('is throttled for its address and for its account, and a refused rule mails no one', async () => {
    const email = address()
    done(await create({ addresses: [email] }))
    for (let sent = 1; sent < 3; sent += 1) done(await ask(email))
    expect(await ask(email)).toMatchObject({ refused: 'SV-6005' })
    expect(await tokensTo(email)).toHaveLength(3)
    const many = (): string[] => Array.from({ length: 10 }, address)
    done(await create({ addresses: many() }))
    const last = many()
    expect(await create({ addresses: last })).toMatchObject({ refused: 'SV-6005' })
    for (const each of last) expect(await tokensTo(each)).toEqual([])
    expect((await listAlertRules(context, writer)).alertRules).toHaveLength(2)
    // the mails of a refused rule are not counted: after the minute of the refusal, seven fit
    game.pass(60_000)
    done(await create({ addresses: last.slice(0, 7) }))
  })

  test('is needed again after no rule named the address', async () => {
    const email = address()
    const rule = done(await create({ addresses: [email] }))
    done(await confirm(email))
    const params = { id: rule.id }
    done(await updateAlertRule(context, writer, { params, body: { addresses: [] } }))
    expect(await stateOf(email)).toBeUndefined()
    done(await updateAlertRule(context, writer, { params, body: { addresses: [email] } }))
    expect(await stateOf(email)).toBe('waiting')
    done(await deleteAlertRule(context, writer, { params }))
    expect(await stateOf(email)).toBeUndefined()
  })

  test('is refused beyond the limit of addresses of an account, with the rule', async () => {
    const now = new Date(game.clock.nowMs)
    await systemSql`
      insert into alert_addresses (id, account_id, email, confirm_before, asked_at, ended_at, created_at)
      select gen_random_uuid(), ${writer.accountId}, n || '@example.net', ${now}::timestamptz, ${now}::timestamptz,
        ${now}::timestamptz, ${now}::timestamptz from generate_series(1, ${addressesPerAccountMax - 1}) as n`
    done(await create({ addresses: [address()] }))
    const refused = await create({ addresses: [address()] })
    expect(refused).toMatchObject({ refused: 'SV-3002', message: expect.stringContaining('100 addresses') })
    expect((await listAlertRules(context, writer)).alertRules).toHaveLength(1)
  })
})

describe('wrong people of a rule', () => {
  test('are refused all at once, and nothing is stored or mailed', async () => {
    const own = await emailOf(await member('kim@example.org'))
    const deny = parseDenyList(['denied.example'])
    if (!deny.ok) throw new Error('the deny list of the test is wrong')
    const strict = { ...context, rules: { ...context.rules, blockedTargets: deny.deny } }
    const [unknown, good] = [uuidv7(Date.now()), address()]
    const wrong = () =>
      create(
        {
          userIds: [unknown],
          addresses: [good, own.toUpperCase(), 'a@mail.denied.example'],
          channelIds: [unknown],
        },
        strict,
      )
    // refused rules are not counted towards the mails of their addresses
    for (let time = 0; time < 5; time += 1) {
      const refused = await wrong()
      expect(isRefusal(refused) && refused.errors.map(({ path }) => path)).toEqual([
        'channelIds[0]',
        'userIds[0]',
        'addresses[1]',
        'addresses[2]',
      ])
    }
    expect(await tokensTo(good)).toEqual([])
    expect(await listAlertRules(context, writer)).toMatchObject({ alertRules: [], addresses: [] })
  })

  test.each([
    ['a server without mail', { sendsMail: false }, 'sends no mail'],
    ['an account without a confirmed member', {}, 'no member has confirmed'],
  ])('of %s are refused', async (_, more: { sendsMail?: boolean }, message) => {
    if (more.sendsMail === undefined) await systemSql`update users set confirmed_at = null`
    const as = ruleContext(sql, { ...context, rules: { ...context.rules, ...more } })
    const errors = [{ path: 'addresses', message: expect.stringContaining(message) }]
    expect(await create({ addresses: [address()] }, as)).toMatchObject({ refused: 'SV-2001', errors })
  })

  test.each([
    [['not an address']],
    [['a@example.org', 'A@example.org']],
    [Array.from({ length: 11 }, address)],
  ])('such as %j are refused by the shape of the input', (addresses) => {
    expect(CreateAlertRuleInput.safeParse({ name: 'x', addresses }).success).toBe(false)
  })
})

describe('alerts by mail', () => {
  test('go to the members and confirmed addresses that any rule names, once to each person', async () => {
    const [kim, sam] = [await member('kim@example.org'), await member('sam@example.org')]
    const [ready, waiting] = [address(), address()]
    done(await create({ userIds: [kim], addresses: [ready] }))
    done(await create({ userIds: [kim], addresses: [ready.toUpperCase(), waiting] }))
    done(await confirm(ready))
    await failNew('shop')
    expect(await alertsTo()).toEqual({
      [await emailOf(kim)]: ['shop is down'],
      [ready]: ['shop is down'],
    })
    expect(await emailOf(sam)).not.toBe('')
  })

  test('go once to a person who confirmed an address and became a member later', async () => {
    const email = address()
    done(await create({ addresses: [email] }))
    done(await create({ emailUsers: true }))
    done(await confirm(email))
    await systemSql`
      insert into users (id, account_id, email, password_hash, created_at)
      values (${uuidv7(Date.now())}, ${writer.accountId}, ${email.toUpperCase()}, '', now())`
    await failNew('shop')
    expect(Object.values(await alertsTo()).flat()).toEqual(['shop is down', 'shop is down'])
    expect((await alertsTo())[email]).toBeUndefined()
    expect((await alertsTo())[email.toUpperCase()]).toHaveLength(1)
    const [check] = await systemSql<{ id: string }[]>`
      select id from checks where account_id = ${writer.accountId}`
    const shown = done(await getCheckReceivers(context, writer, { params: { id: check?.id ?? '' } }))
    expect(shown.receivers.map(({ kind }) => kind)).toEqual(['member', 'member'])
  })

  test('end with the membership, also those that wait for another attempt', async () => {
    const kim = await member('kim@example.org')
    const email = await emailOf(kim)
    done(await create({ userIds: [kim] }))
    await failNew('shop')
    expect(await alertsTo()).toEqual({ [email]: ['shop is down'] })
    const caller = { ...writer, tier: 'scale' } as unknown as Caller
    done(await removeMember({ sql, now: context.now } as AccountContext, caller, { params: { id: kim } }))
    await failNew('blog')
    expect(await alertsTo()).toEqual({ [email]: ['shop is down'] })
    expect(
      await systemSql`select state, last_error from deliveries where recipient = ${email}`,
    ).toMatchObject([{ state: 'dead', last_error: 'not sent: the member was removed' }])
    expect((await listAlertRules(context, writer)).alertRules).toMatchObject([{ userIds: [] }])
  })

  test('end with an unsubscribe link, which only the owner undoes by asking again', async () => {
    const email = address()
    const rule = done(await create({ addresses: [email] }))
    done(await confirm(email))
    await failNew('shop')
    expect((await alertsTo())[email]).toHaveLength(1)
    done(await end(email))
    done(await end(email))
    expect(await stateOf(email)).toBe('ended')
    expect(await confirm(email)).toMatchObject({ refused: 'SV-3001' })
    await failNew('blog')
    expect((await alertsTo())[email]).toHaveLength(1)
    // neither a saved rule nor another rule asks again
    const params = { id: rule.id }
    done(await updateAlertRule(context, writer, { params, body: { addresses: [] } }))
    done(await create({ addresses: [email] }))
    expect(await tokensTo(email)).toHaveLength(1)
    expect(await stateOf(email)).toBe('ended')
    done(await ask(email))
    done(await confirm(email))
    await failNew('docs')
    expect((await alertsTo())[email]).toEqual(['shop is down', 'docs is down'])
  })
})
