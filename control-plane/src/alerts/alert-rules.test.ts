import { CreateAlertRuleInput, type AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, expect, test } from 'vitest'
import { alertScenario } from '../app/alerting/testing.ts'
import type { Writer } from '../accounts/operations/context.ts'
import { createAccount } from '../login/create-account.ts'
import { ruleContext } from './testing.ts'
import { createAlertRule, deleteAlertRule, listAlertRules, updateAlertRule } from './alert-rules.ts'

const database = useTestDatabase()
const systemSql = database.use({ role: 'probe_mesh_system' })
const sql = database.use({ role: 'probe_mesh_account' })
let game: ReturnType<typeof alertScenario>
let writer: Writer
let other: Writer

const context = useOnce(() => ruleContext(sql))
beforeEach(async () => {
  game = alertScenario(systemSql)
  const actor = { kind: 'user', id: 'u', name: 'user', address: '127.0.0.1' } as const
  writer = { accountId: await game.account(), actor }
  other = { accountId: await game.account(), actor }
})

const input = (more: object = {}) => ({
  body: CreateAlertRuleInput.parse({ name: 'night', ...more }),
})
const taken = <T extends object>(result: T | Refusal): T => {
  if (isRefusal(result)) throw new Error(`${result.refused}: ${JSON.stringify(result.errors)}`)
  return result
}
const created = async (more: object = {}): Promise<AlertRule> =>
  taken(await createAlertRule(context, writer, input(more)))

test.each([true, false])(
  'a new account has a rule for every outage: all channels, and all members if mail is sent (%s)',
  async (sendsMail) => {
    const account = taken(
      await createAccount(
        { sql: systemSql, now: Date.now, sendsMail },
        {
          name: 'new',
          email: `${uuidv7(Date.now())}@example.org`,
          password: 'correct horse battery',
          tier: 'free',
        },
      ),
    )
    const { alertRules } = await listAlertRules(context, { accountId: account.id })
    expect(alertRules).toMatchObject([
      {
        enabled: true,
        checkIds: null,
        statuses: ['down'],
        afterSeconds: 0,
        channelIds: null,
        emailUsers: sendsMail,
      },
    ])
    expect(alertRules[0]).toMatchObject({ certificateDays: [14, 7, 1], domainDays: [14, 7, 1] })
  },
)

test('creates, lists, changes and deletes a rule, with an audit entry for each write', async () => {
  const [check] = await game.checks(writer.accountId, ['shop'])
  const channel = await game.channel(writer.accountId)
  const second = await game.channel(writer.accountId)
  const receivers = { channelIds: [channel], fallbackChannelId: second }
  const rule = await created({ checkIds: [check], ...receivers, afterSeconds: 60 })
  expect(rule).toMatchObject({ certificateDays: [14, 7, 1], domainDays: [14, 7, 1] })
  expect(rule).toMatchObject({ name: 'night', checkIds: [check], ...receivers })
  const params = { id: rule.id }
  const changed = await updateAlertRule(context, writer, { params, body: { checkIds: null } })
  expect(changed).toEqual({ ...rule, checkIds: null })
  expect((await listAlertRules(context, writer)).alertRules).toEqual([changed])
  expect(await deleteAlertRule(context, writer, { params })).toEqual({ ...params, deleted: true })
  expect((await listAlertRules(context, writer)).alertRules).toEqual([])
  const rows = await systemSql<{ action: string }[]>`
    select action from audit_log where account_id = ${writer.accountId} order by id`
  expect(rows.map(({ action }) => action)).toEqual(['createAlertRule', 'updateAlertRule', 'deleteAlertRule'])
})

test('refuses checks and channels of another account and names each one', async () => {
  const [mine] = await game.checks(writer.accountId, ['shop'])
  const [theirs] = await game.checks(other.accountId, ['shop'])
  const channel = await game.channel(other.accountId)
  const named = { checkIds: [mine, theirs], channelIds: [channel], fallbackChannelId: channel }
  const refusals = [
    await createAlertRule(context, writer, input(named)),
    await updateAlertRule(context, writer, {
      params: { id: (await created()).id },
      body: CreateAlertRuleInput.parse({ name: 'x', ...named }),
    }),
  ]
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      refused: 'SV-2001',
      errors: [{ path: 'checkIds[1]' }, { path: 'channelIds[0]' }, { path: 'fallbackChannelId' }],
    })
  }
})

test('a rule of another account is not found', async () => {
  const params = { id: (await created()).id }
  const refused = { refused: 'SV-3001' }
  expect(await updateAlertRule(context, other, { params, body: {} })).toMatchObject(refused)
  expect(await deleteAlertRule(context, other, { params })).toMatchObject(refused)
  expect((await listAlertRules(context, other)).alertRules).toEqual([])
})

test('a rule does not list deleted checks', async () => {
  const checkIds = await game.checks(writer.accountId, ['a', 'b'])
  await created({ checkIds })
  await systemSql`delete from checks where id = ${checkIds[0] ?? ''}`
  const { alertRules } = await listAlertRules(context, writer)
  expect(alertRules[0]?.checkIds).toEqual([checkIds[1]])
})

test('an account has at most fifty rules', async () => {
  for (let made = 0; made < 50; made++) await game.rule(writer.accountId)
  expect(await createAlertRule(context, writer, input())).toMatchObject({ refused: 'SV-3002' })
})

test.each([
  ['no name', { name: ' ' }],
  ['no status', { statuses: [] }],
  ['a status twice', { statuses: ['down', 'down'] }],
  ['an unknown status', { statuses: ['operational'] }],
  ['more than a day', { afterSeconds: 86_401 }],
  ['an unknown field', { after: 1 }],
])('refuses an input with %s', (_, more) => {
  expect(CreateAlertRuleInput.safeParse({ name: 'night', ...more }).success).toBe(false)
  expect(CreateAlertRuleInput.safeParse({ name: 'night', afterSeconds: 86_400 }).success).toBe(true)
})
