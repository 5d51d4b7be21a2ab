import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { beforeEach, describe, expect, test } from 'vitest'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import { acknowledgeByLink, readAlertLink } from './alert-links.ts'
import { acknowledgeAlert, listAlerts } from './open-alerts.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const batchMs = 2_000

const stage = useAlertScenario()
const { sql, accountSql } = stage
let game: AlertStage['game']
let accountId: string

beforeEach(() => {
  ;({ game, accountId } = stage)
})

const actor = { kind: 'key', id: 'k', name: 'ci', address: '192.0.2.1' } as const
const acting = () => ({
  sql: accountSql,
  now: game.context.now,
  rules: { publicUrl: game.context.publicUrl } as never,
})
const linking = () => ({ ...acting(), sql })
const writer = (id = accountId) => ({ accountId: id, actor })
const open = async (id = accountId) => {
  const listed = await listAlerts(acting(), { accountId: id }, { query: {} })
  if (isRefusal(listed)) throw new Error(listed.message)
  return listed.alerts
}
const byId = (id: string) => ({ params: { id } })

const settle = async (): Promise<void> => {
  await game.act()
  game.pass(batchMs)
  await game.act()
}
/** A check that is down and was alerted. @returns its alert */
const failing = async (name = 'shop') => {
  const [check = ''] = await game.checks(accountId, [name])
  await game.flip([check], 'down')
  await settle()
  const alert = (await open()).find(({ checkId }) => checkId === check)
  if (alert === undefined) throw new Error('no alert is open')
  return { check, alert, id: alert.id }
}
const user = async (email = 'ada@example.org', name: string | null = 'Ada'): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    insert into users (id, account_id, email, name, password_hash, created_at)
    values (gen_random_uuid(), ${accountId}, ${email}, ${name}, '', now()) returning id`
  return row?.id ?? ''
}

describe('the link of a mail', () => {
  const token = async (index = 0): Promise<string> => {
    const mails = (await game.deliveries(accountId)).filter(({ recipient }) => recipient !== null)
    return /acknowledge\?token=([\w-]{43})/.exec(mails[index]?.message.text ?? '')?.[1] ?? ''
  }

  beforeEach(async () => {
    await game.rule(accountId, { emailUsers: true, channelIds: [] })
  })

  test('acknowledges once as its receiver, and reading it changes nothing', async () => {
    await user()
    await failing()
    const link = await token()
    for (let read = 0; read < 2; read++) {
      expect(await readAlertLink(linking(), link)).toMatchObject({
        state: 'open',
        actsFor: 'Ada',
        alerts: [
          { checkName: 'shop', status: 'down', since: '2026-11-20T12:00:00.000Z', acknowledgedBy: null },
        ],
      })
    }
    expect(await open()).toMatchObject([{ acknowledgedBy: null }])
    expect(await acknowledgeByLink(linking(), link, '192.0.2.7')).toMatchObject({
      state: 'used',
      alerts: [{ acknowledgedBy: 'Ada' }],
    })
    const [first] = await open()
    game.pass(minuteMs)
    expect(await acknowledgeByLink(linking(), link, '192.0.2.7')).toMatchObject({ state: 'used' })
    expect(await open()).toEqual([first])
    expect(await sql`select action, actor_name, address from audit_log`).toEqual([
      { action: 'acknowledgeAlertByLink', actor_name: 'ada@example.org', address: '192.0.2.7' },
    ])
    await settle()
    expect((await game.deliveries(accountId)).at(-1)?.message.subject).toBe(
      'shop is down: acknowledged by Ada',
    )
  })

  test('is another one for each receiver, and says who was faster', async () => {
    await user()
    await user('bob@example.org', null)
    await failing()
    const [first, second] = [await token(0), await token(1)]
    expect(first).not.toBe(second)
    const fast = await acknowledgeByLink(linking(), first, '192.0.2.7')
    const by = isRefusal(fast) ? '' : (fast.alerts[0]?.acknowledgedBy ?? '')
    expect(['Ada', 'bob@example.org']).toContain(by)
    const late = { state: 'closed', alerts: [{ acknowledgedBy: by }] }
    expect(await readAlertLink(linking(), second)).toMatchObject(late)
    expect(await acknowledgeByLink(linking(), second, '192.0.2.7')).toMatchObject(late)
  })

  test('is stored as a hash only, in the table', async () => {
    await user()
    await failing()
    const link = await token()
    const [row] = await sql<{ text: string }[]>`select alert_links::text as text from alert_links`
    expect(link).toHaveLength(43)
    expect(row?.text).not.toContain(link)
    expect(row?.text).not.toContain(Buffer.from(link, 'base64url').toString('hex'))
  })

  test('works for 7 days, and not for a removed member; a forged one never works', async () => {
    const id = await user()
    await failing()
    const link = await token()
    const gone = { refused: 'SV-3001', status: 410 }
    expect(await readAlertLink(linking(), `${link.slice(0, -2)}AA`)).toMatchObject(gone)
    expect(await acknowledgeByLink(linking(), '', '192.0.2.7')).toMatchObject(gone)
    game.pass(7 * 24 * hourMs - minuteMs)
    expect(await readAlertLink(linking(), link)).toMatchObject({ state: 'open' })
    game.pass(minuteMs)
    expect(await acknowledgeByLink(linking(), link, '192.0.2.7')).toMatchObject(gone)
    game.pass(-minuteMs)
    await sql`delete from users where id = ${id}`
    expect(await acknowledgeByLink(linking(), link, '192.0.2.7')).toMatchObject(gone)
    expect(await open()).toMatchObject([{ acknowledgedBy: null }])
  })

  test('of a recovered check says that nothing is left', async () => {
    await user()
    const { check } = await failing()
    await game.flip([check], 'operational')
    await settle()
    for (let use = 0; use < 2; use++) {
      expect(await acknowledgeByLink(linking(), await token(), '192.0.2.7')).toMatchObject({
        state: 'closed',
        usedAt: null,
        alerts: [],
      })
    }
    expect(await sql`select from audit_log`).toHaveLength(0)
  })

  test('of a digest acknowledges every alert of the mail', async () => {
    await user()
    const names = Array.from({ length: 30 }, (_, index) => `check-${index}`)
    await game.flip(await game.checks(accountId, names), 'down')
    await settle()
    const link = await token()
    expect((await game.deliveries(accountId))[0]?.message.text).toContain('Acknowledge 30 alerts: https://')
    expect(await readAlertLink(linking(), link)).toMatchObject({ alerts: { length: 20 }, more: 10 })
    await acknowledgeByLink(linking(), link, '192.0.2.7')
    expect((await open()).map(({ acknowledgedBy }) => acknowledgedBy)).toEqual(names.map(() => 'Ada'))
    game.pass(minuteMs)
    await settle()
    const last = (await game.deliveries(accountId)).at(-1)
    expect(last?.message.text).toContain(', acknowledged by Ada)')
  })

  test('is in no mail about a recovery or an acknowledgement', async () => {
    await user()
    const { check, id } = await failing()
    await acknowledgeAlert(acting(), writer(), byId(id))
    await settle()
    await game.flip([check], 'operational')
    await settle()
    const texts = (await game.deliveries(accountId)).map(({ message }) =>
      /acknowledge\?token=/.test(message.text),
    )
    expect(texts).toEqual([true, false, false])
  })
})
