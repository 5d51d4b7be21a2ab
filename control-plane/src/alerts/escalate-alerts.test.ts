import { beforeEach, expect, test } from 'vitest'
import { transact } from '../stores/postgres/transact.ts'
import { processFlips } from '../app/alerting/process-flips.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'
import { writePolicy, type PolicyRecord } from '../on-call/policies-store.ts'
import { writeSchedule } from '../on-call/schedules-store.ts'
import { processDueAlerts } from './claim-due-alerts.ts'
import { acknowledgeAlert, listAlerts, snoozeAlert } from './open-alerts.ts'

const minuteMs = 60_000
const second = 1_000

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string
let check: string
let member: Record<'ada' | 'bob' | 'cas', string>

beforeEach(async () => {
  ;({ game, accountId } = stage)
  const add = async (name: string): Promise<string> => {
    const id = crypto.randomUUID()
    await sql`
      insert into users (id, account_id, email, name, password_hash, created_at)
      values (${id}, ${accountId}, ${`${name}@example.org`}, ${name}, '', now())`
    return id
  }
  member = { ada: await add('ada'), bob: await add('bob'), cas: await add('cas') }
  ;[check = ''] = await game.checks(accountId, ['shop'])
})

const policyOf = async (
  levels: { afterMinutes: number; userIds?: string[]; scheduleIds?: string[]; channelIds?: string[] }[],
  more: Partial<PolicyRecord> = {},
): Promise<string> => {
  const none = { userIds: [], scheduleIds: [], channelIds: [] }
  const policy = {
    id: crypto.randomUUID(),
    accountId,
    name: 'Night',
    levels: levels.map((level) => ({ ...none, ...level })),
    repeats: 0,
    repeatAfterMinutes: 30,
    ...more,
  }
  await transact(sql, (tx) => writePolicy(tx, policy, game.clock.nowMs))
  return policy.id
}
const scheduleOf = async (name: string, userIds: string[], startDate: string): Promise<string> => {
  const id = crypto.randomUUID()
  const weekdays = [1, 2, 3, 4, 5, 6, 7]
  const layers = [{ userIds, handOver: '12:10', length: 1, unit: 'days' as const, startDate, weekdays }]
  const record = { id, accountId, name, timeZone: 'UTC', layers, overrides: [], feedId: crypto.randomUUID() }
  await transact(sql, (tx) => writeSchedule(tx, record, game.clock.nowMs))
  return id
}
const ruleOf = (escalationId: string) => game.rule(accountId, { escalationId, channelIds: [] })

/** Lets minutes pass as the alerter sees them. */
const pass = async (minutes: number): Promise<void> => {
  for (let passed = 0; passed < minutes * 60; passed += 15) {
    await game.act()
    game.pass(15 * second)
  }
}
const told = async (): Promise<string[]> =>
  (await game.deliveries(accountId)).map(
    ({ recipient, message }) => `${recipient?.split('@')[0]}: ${message.subject}`,
  )
const threeLevels = () => [
  { afterMinutes: 0, userIds: [member.ada] },
  { afterMinutes: 5, userIds: [member.bob] },
  { afterMinutes: 15, userIds: [member.cas] },
]
const acting = () => ({ sql, now: game.context.now, rules: { publicUrl: game.context.publicUrl } as never })
const writer = () => ({ accountId, actor: { kind: 'key', id: 'k', name: 'ci', address: '' } as const })
const openId = async (): Promise<string> => {
  const listed = await listAlerts(acting(), { accountId }, { query: {} })
  return 'alerts' in listed ? (listed.alerts[0]?.id ?? '') : ''
}

test('levels are told at their time, a repeat says so, and the recovery goes to everyone who was told', async () => {
  const levels = [
    { afterMinutes: 0, userIds: [member.ada] },
    { afterMinutes: 5, userIds: [member.bob] },
  ]
  await ruleOf(await policyOf(levels, { repeats: 1, repeatAfterMinutes: 10 }))
  await game.flip([check], 'down')
  await pass(6)
  const listed = await listAlerts(acting(), { accountId }, { query: {} })
  expect(listed).toMatchObject({ alerts: [{ escalation: { policy: 'Night', level: 2, round: 1 } }] })
  await pass(10)
  await game.flip([check], 'operational')
  await pass(1)
  expect(await told()).toEqual([
    'ada: shop is down',
    expect.stringMatching(/^bob: shop is down, not operational for 5 min.* \(escalation level 2\)$/),
    expect.stringMatching(/^ada: .*for 15 min.* \(escalation level 1, repeat 1\)$/),
    expect.stringMatching(/^(ada|bob): shop has recovered/),
    expect.stringMatching(/^(ada|bob): shop has recovered/),
  ])
  const rows = await sql`select level, round, receivers from alert_escalations order by at, level`
  expect(rows).toEqual([
    { level: 1, round: 1, receivers: 1 },
    { level: 2, round: 1, receivers: 1 },
    { level: 1, round: 2, receivers: 1 },
  ])
})

test('who gets the message of a level gets no reminder beside it', async () => {
  const levels = [
    { afterMinutes: 0, userIds: [member.ada] },
    { afterMinutes: 60, userIds: [member.ada, member.bob] },
  ]
  await ruleOf(await policyOf(levels))
  await game.flip([check], 'down')
  await pass(59)
  expect(await told()).toEqual(['ada: shop is down'])
  await pass(2)
  const later = (await told()).slice(1).map((line) => line.split(':')[0])
  expect(later.toSorted()).toEqual(['ada', 'bob'])
})

test('a channel gets a repeat under the key of its alert', async () => {
  const channelId = await game.channel(accountId)
  await ruleOf(await policyOf([{ afterMinutes: 0, channelIds: [channelId] }], { repeats: 1 }))
  await game.flip([check], 'down')
  await pass(31)
  const messages = (await game.deliveries(accountId)).map(({ message }) => message)
  expect(messages.map(({ event }) => event)).toEqual(['alert', 'reminder'])
  expect(messages[1]?.title).toContain('(escalation level 1, repeat 1)')
  expect(messages[1]?.alertKey).toBe(messages[0]?.alertKey)
})

test('nobody further is told after an acknowledgement, also not by messages that wait', async () => {
  await ruleOf(await policyOf(threeLevels()))
  await game.flip([check], 'down')
  await pass(4.75)
  await processDueAlerts(game.context, 200)
  game.pass(15 * second)
  await processDueAlerts(game.context, 200)
  expect(await sql`select from alert_messages where message ->> 'event' = 'escalation'`).toHaveLength(1)
  await acknowledgeAlert(acting(), writer(), { params: { id: await openId() } })
  await pass(60)
  expect((await told()).filter((line) => line.includes('escalation'))).toEqual([])
  expect(await told()).toContain('ada: shop is down: acknowledged by API key ci')
})

test('nobody further is told after the recovery', async () => {
  await ruleOf(await policyOf(threeLevels()))
  await game.flip([check], 'down')
  await pass(2)
  await game.flip([check], 'operational')
  await pass(60)
  expect(await told()).toEqual(['ada: shop is down', expect.stringContaining('ada: shop has recovered')])
})

test('a snooze holds the next level, and it follows when the snooze ends', async () => {
  await ruleOf(await policyOf(threeLevels()))
  await game.flip([check], 'down')
  await pass(1)
  await snoozeAlert(acting(), writer(), { params: { id: await openId() }, body: { minutes: 30 } })
  await pass(29)
  expect(await told()).toEqual(['ada: shop is down'])
  await pass(2)
  expect((await told()).filter((line) => line.startsWith('bob: '))).toEqual([
    expect.stringContaining('(escalation level 2)'),
  ])
})

test('the member on call is told, also after a hand-over; a schedule without one passes on at once and is named', async () => {
  const primary = await scheduleOf('Primary', [member.ada, member.bob], '2026-11-19')
  const empty = await scheduleOf('Weekend', [member.bob], '2027-01-01')
  await ruleOf(
    await policyOf([
      { afterMinutes: 0, scheduleIds: [empty] },
      { afterMinutes: 5, scheduleIds: [primary] },
      { afterMinutes: 20, scheduleIds: [primary] },
    ]),
  )
  await game.flip([check], 'down')
  await pass(17)
  const [first, second] = await game.deliveries(accountId)
  expect([first?.recipient, second?.recipient]).toEqual(['ada@example.org', 'bob@example.org'])
  expect(first?.message.text).toContain('No one is on call in Weekend.')
  const [gap] = await sql`select level, receivers, gaps from alert_escalations order by at, level`
  expect(gap).toEqual({ level: 1, receivers: 0, gaps: ['Weekend'] })
})

test('an outage that was over before it was noticed is told to the first level', async () => {
  await ruleOf(await policyOf(threeLevels()))
  await game.flip([check], 'down')
  game.pass(minuteMs)
  await game.flip([check], 'operational')
  await pass(1)
  expect(await told()).toEqual(['ada: shop failed and recovered after 1 min'])
})

test('two rules with one policy, and control planes side by side, tell each level once', async () => {
  const policy = await policyOf(threeLevels(), { repeats: 1 })
  await ruleOf(policy)
  await ruleOf(policy)
  await game.flip([check], 'down')
  for (let second = 0; second < 70 * 60; second += 15) {
    await Promise.all([processFlips(game.context, 200), processFlips(game.context, 200)])
    await Promise.all([processDueAlerts(game.context, 200), processDueAlerts(game.context, 200)])
    await game.act()
    game.pass(15_000)
  }
  const levels = (await told())
    .filter((line) => /escalation|is down$/.test(line))
    .map((line) => line.split(':')[0])
  expect(levels).toEqual(['ada', 'bob', 'cas', 'ada', 'bob', 'cas'])
})
