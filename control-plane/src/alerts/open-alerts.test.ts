import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { beforeEach, describe, expect, test } from 'vitest'
import { processFlips } from '../app/alerting/process-flips.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import { processDueAlerts } from './claim-due-alerts.ts'
import { acknowledgeAlert, listAlerts, resolveAlert, snoozeAlert } from './open-alerts.ts'

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
test('an alert that nobody was there to get is not notified', async () => {
  await game.rule(accountId)
  expect((await failing('shop')).alert).toMatchObject({ checkName: 'shop', notified: false })
})

describe('an open alert', () => {
  beforeEach(async () => {
    await game.channel(accountId)
    await game.rule(accountId)
  })

  test('is listed with its check, its reason and its rules, newest first, a page at a time', async () => {
    const { check, id } = await failing('shop')
    const second = await failing('mail')
    expect(await open()).toMatchObject([
      { id: second.id, checkName: 'mail' },
      {
        id,
        checkId: check,
        checkName: 'shop',
        status: 'down',
        reason: '2 of 2 regions fail (fra, iad): connection refused',
        since: '2026-11-20T12:00:00.000Z',
        rules: [{ name: 'Everything that goes down' }],
        notified: true,
        reminders: 0,
        acknowledgedBy: null,
        snoozedUntil: null,
        resolvedBy: null,
      },
    ])
    const first = await listAlerts(acting(), { accountId }, { query: { limit: 1 } })
    const cursor = isRefusal(first) ? '' : (first.nextCursor ?? '')
    expect(await listAlerts(acting(), { accountId }, { query: { limit: 1, cursor } })).toMatchObject({
      alerts: [{ id }],
      nextCursor: null,
    })
    expect(await listAlerts(acting(), { accountId }, { query: { checkId: check } })).toMatchObject({
      alerts: [{ id }],
    })
  })

  test('is acknowledged for all rules; receivers learn who took it, and get the recovery but no reminder', async () => {
    const late = await game.rule(accountId, { name: 'late', afterSeconds: 1_800 })
    const { check, id } = await failing()
    expect(await acknowledgeAlert(acting(), writer(), byId(id))).toMatchObject({
      acknowledgedBy: 'API key ci',
      acknowledgedAt: new Date(game.clock.nowMs).toISOString(),
      rules: [{}, { id: late.id }],
    })
    for (let hour = 0; hour < 30; hour++) {
      await settle()
      game.pass(hourMs)
    }
    await game.flip([check], 'operational')
    await settle()
    expect(await game.titles(accountId)).toEqual([
      'shop is down',
      'shop is down: acknowledged by API key ci',
      expect.stringContaining('shop has recovered'),
    ])
    const [alert, taken] = await game.deliveries(accountId)
    expect(taken?.message).toMatchObject({ event: 'acknowledged', alertKey: alert?.message.alertKey })
    expect(await open()).toEqual([])
  })

  test('is acknowledged once: a second time changes nothing, and is no act in the audit log', async () => {
    const { id } = await failing()
    const first = await acknowledgeAlert(acting(), writer(), byId(id))
    game.pass(minuteMs)
    const again = { ...writer(), actor: { ...actor, name: 'other' } }
    expect(await acknowledgeAlert(acting(), again, byId(id))).toEqual(first)
    await settle()
    expect(await game.titles(accountId)).toEqual(['shop is down', 'shop is down: acknowledged by API key ci'])
    expect(await sql`select action, resource_id, actor_name from audit_log`).toEqual([
      { action: 'acknowledgeAlert', resource_id: id, actor_name: 'ci' },
    ])
    expect(await sql`select kind, actor from alert_acts`).toEqual([
      { kind: 'acknowledge', actor: 'API key ci' },
    ])
  })

  test('withdraws reminders that wait in a batch, or for their delivery, but not other messages', async () => {
    const { check, id } = await failing('shop')
    await failing('mail')
    game.pass(hourMs)
    await game.act()
    const waiting = () => sql`select check_id from alert_messages where message ->> 'event' = 'reminder'`
    expect(await waiting()).toHaveLength(2)
    await acknowledgeAlert(acting(), writer(), byId(id))
    expect((await waiting()).map((row) => row['check_id'])).not.toContain(check)

    const other = (await open()).find(({ checkName }) => checkName === 'mail')
    await settle()
    expect(await game.titles(accountId)).toContainEqual(
      expect.stringMatching(/^mail is down, not operational for 1 h/),
    )
    await acknowledgeAlert(acting(), writer(), byId(other?.id ?? ''))
    await settle()
    expect((await game.titles(accountId)).toSorted()).toEqual([
      'mail is down',
      'mail is down: acknowledged by API key ci',
      'shop is down',
      'shop is down: acknowledged by API key ci',
    ])
    expect(await sql`select from alerted_checks where event = 'reminder'`).toHaveLength(0)
  })

  test('a reminder that is being delivered at this moment is not withdrawn', async () => {
    const { id } = await failing()
    game.pass(hourMs)
    await settle()
    const until = new Date(game.clock.nowMs + minuteMs)
    await sql`update deliveries set claimed_until = ${until} where message ->> 'event' = 'reminder'`
    await acknowledgeAlert(acting(), writer(), byId(id))
    expect(await sql`select from deliveries where message ->> 'event' = 'reminder'`).toHaveLength(1)
  })

  test('is taken for a rule that alerts later in the same outage: it is sent once, without reminders', async () => {
    await game.rule(accountId, { name: 'degraded', statuses: ['degraded'] })
    const { check, id } = await failing()
    await acknowledgeAlert(acting(), writer(), byId(id))
    await settle()
    await game.flip([check], 'degraded')
    for (let hour = 0; hour < 30; hour++) {
      await settle()
      game.pass(hourMs)
    }
    expect(await game.titles(accountId)).toEqual([
      'shop is down',
      'shop is down: acknowledged by API key ci',
      'shop is degraded',
    ])
    expect(await open()).toMatchObject([{ id, acknowledgedBy: 'API key ci', rules: { length: 2 } }])
  })

  test('of the next outage is not acknowledged, also if both changes are processed together', async () => {
    await game.rule(accountId, { name: 'second' })
    const { check, id } = await failing()
    await acknowledgeAlert(acting(), writer(), byId(id))
    await settle()
    await game.flip([check], 'operational')
    game.pass(1_000)
    await game.flip([check], 'down')
    await settle()
    expect(await open()).toMatchObject([{ checkId: check, acknowledgedBy: null }])
    expect(await acknowledgeAlert(acting(), writer(), byId(id))).toMatchObject({ refused: 'SV-3002' })
  })

  test('is snoozed: one reminder at the end', async () => {
    const { id } = await failing()
    const snoozed = { ...byId(id), body: { minutes: 240 } }
    const until = new Date(game.clock.nowMs + 4 * hourMs).toISOString()
    expect(await snoozeAlert(acting(), writer(), snoozed)).toMatchObject({ snoozedUntil: until })
    game.pass(4 * hourMs - 5_000)
    await settle()
    expect(await game.titles(accountId)).toEqual(['shop is down'])
    game.pass(5_000)
    await settle()
    expect(await game.titles(accountId)).toEqual([
      'shop is down',
      expect.stringContaining('not operational for 4 h'),
    ])
    expect(await open()).toMatchObject([{ snoozedUntil: null, reminders: 1 }])
  })

  test('that is acknowledged is not snoozed: no reminder follows', async () => {
    const { id } = await failing()
    await acknowledgeAlert(acting(), writer(), byId(id))
    const snoozed = { ...byId(id), body: { minutes: 60 } }
    expect(await snoozeAlert(acting(), writer(), snoozed)).toMatchObject({
      refused: 'SV-3002',
      message: 'This alert is acknowledged: no reminders follow, so there is nothing to snooze.',
    })
    game.pass(2 * hourMs)
    await settle()
    expect(await game.titles(accountId)).toEqual(['shop is down', 'shop is down: acknowledged by API key ci'])
  })

  test('is not snoozed into the past, nor longer than 7 days', async () => {
    const { id } = await failing()
    for (const ahead of [0, 7 * 24 * hourMs + 1]) {
      const body = { until: game.clock.nowMs + ahead }
      expect(await snoozeAlert(acting(), writer(), { ...byId(id), body })).toMatchObject({
        refused: 'SV-2001',
        errors: [{ path: 'until' }],
      })
    }
  })

  test('whose messages were ended sends no more, and is closed by the recovery in silence', async () => {
    const { check, id } = await failing()
    expect(await resolveAlert(acting(), writer(), byId(id))).toMatchObject({ resolvedBy: 'API key ci' })
    expect(await acknowledgeAlert(acting(), writer(), byId(id))).toMatchObject({
      refused: 'SV-3002',
      message: 'This alert is closed: its messages were ended.',
    })
    game.pass(3 * hourMs)
    await settle()
    await game.flip([check], 'operational')
    await settle()
    expect(await game.titles(accountId)).toEqual([
      'shop is down',
      'shop is down: messages ended by API key ci',
    ])
    expect(await open()).toEqual([])
    const [state] = await sql`select status from check_states`
    expect(state).toEqual({ status: 'operational' })
  })

  test('that closed, that another account has, or that never was is refused', async () => {
    const { check, id } = await failing()
    const other = await game.account()
    expect(await acknowledgeAlert(acting(), writer(other), byId(id))).toMatchObject({ refused: 'SV-3001' })
    expect(await open(other)).toEqual([])
    expect(await acknowledgeAlert(acting(), writer(), byId(crypto.randomUUID()))).toMatchObject({
      refused: 'SV-3001',
    })
    await game.flip([check], 'operational')
    await settle()
    expect(await acknowledgeAlert(acting(), writer(), byId(id))).toMatchObject({
      refused: 'SV-3002',
      message: expect.stringContaining('closed'),
    })
  })

  test('that is acknowledged is closed when its rule is disabled, although nothing is due', async () => {
    const { id } = await failing()
    await acknowledgeAlert(acting(), writer(), byId(id))
    await sql`update alert_rules set enabled = false`
    game.pass(hourMs)
    await settle()
    expect(await sql`select from alerts`).toHaveLength(0)
  })

  test('sends no reminder after the commit of its acknowledgement, with two control planes', async () => {
    for (let round = 0; round < 25; round++) {
      const { id } = await failing(`check-${round}`)
      game.pass(hourMs)
      const [acked] = await Promise.all([
        acknowledgeAlert(acting(), writer(), byId(id)),
        processDueAlerts(game.context, 200),
        processDueAlerts(game.context, 200),
      ])
      expect(acked).toMatchObject({ acknowledgedBy: 'API key ci' })
      const reminders = () =>
        sql`select cause from alerted_checks where event = 'reminder' and cause like ${`%${id}%`}`
      // a reminder that was composed before was withdrawn
      expect([round, await reminders()]).toEqual([round, []])
      for (let hour = 0; hour < 3; hour++) {
        game.pass(hourMs)
        await Promise.all([processDueAlerts(game.context, 200), processDueAlerts(game.context, 200)])
      }
      expect([round, await reminders()]).toEqual([round, []])
    }
  }, 60_000)
})

test('an acknowledgement at the moment of the recovery opens nothing again', async () => {
  await game.channel(accountId)
  await game.rule(accountId)
  for (let round = 0; round < 25; round++) {
    const { check, id } = await failing(`check-${round}`)
    await game.flip([check], 'operational')
    await Promise.all([
      acknowledgeAlert(acting(), writer(), byId(id)),
      processFlips(game.context, 200),
      processFlips(game.context, 200),
    ])
    await settle()
    expect([round, await open()]).toEqual([round, []])
  }
})
