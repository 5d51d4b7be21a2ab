import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { alertScenario } from '@probe-mesh/control-plane/src/app/alerting/testing'
import { acknowledgeAlert, listAlerts } from '@probe-mesh/control-plane/src/alerts/open-alerts'
import { ok, startReceiver } from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { createVault } from '@probe-mesh/control-plane/src/secrets/vault'
import { channelOwner } from '@probe-mesh/control-plane/src/notifications/channels/sealed-config'
import { writePolicy } from '@probe-mesh/control-plane/src/on-call/policies-store'
import { writeSchedule } from '@probe-mesh/control-plane/src/on-call/schedules-store'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fastClock, type AlertingOptions } from './alerting.fixture.ts'

/**
 * Kills the alerting of control planes while two alerts are escalated and members hand over. Two processes share the
 * work, on a clock that runs fast. Levels are told on time or late, in order, none is skipped, and an acknowledgement
 * ends all of it.
 */

const fixture = fileURLToPath(new URL('alerting.fixture.ts', import.meta.url))
const kills = 50
const minuteMs = 60_000
const speed = 12
/** Real time after which everything that was decided has been delivered, also after kills. */
const settledMs = 15_000
const secretsKey = 'the secrets key of the tests, 32 characters'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
let sql: Sql
let options: AlertingOptions
let now: () => number
const running = new Set<ChildProcess>()

beforeAll(async () => {
  ;[database, receiver] = await Promise.all([createTestDatabase(), startReceiver(ok)])
  sql = connectPostgres(database.url, { role: 'probe_mesh_system', connectionsMax: 4 })
  const clock = { startMs: Date.now(), speed }
  options = { databaseUrl: database.url, secretsKey, publicUrl: 'https://mesh.example.org', clock }
  now = fastClock(clock)
}, 60_000)
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await sql?.end({ timeout: 1 })
  await Promise.all([receiver?.close(), database?.close()])
})

/** Starts a process; resolves when its loops run. */
const start = async (): Promise<ChildProcess> => {
  const child = fork(fixture, [JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  running.add(child)
  await once(child, 'message')
  return child
}
const kill = async (child: ChildProcess | undefined): Promise<void> => {
  if (child === undefined) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  running.delete(child)
}

/** What the channel received about a check: the title, and the key by which it recognises the alert. */
const messagesOf = (check: string): { title: string; alertKey: string }[] =>
  receiver.received
    .map(({ body }) => (JSON.parse(body) as { data: { title: string; alertKey: string } }).data)
    .filter(({ title }) => title.startsWith(`${check} `))
const isTitle = (title: string, level: number, round: number): boolean =>
  level === 1 && round === 1
    ? title.endsWith(' is down')
    : title.endsWith(`(escalation level ${level}${round === 1 ? '' : `, repeat ${round - 1}`})`)

test(
  `through ${kills} kills each level is told to whom is on call, repeats say so, and an acknowledgement ends it`,
  { timeout: 400_000 },
  async (context) => {
    const game = alertScenario(sql)
    game.clock.nowMs = now()
    const accountId = await game.account()
    const channelId = await game.channel(accountId)
    const config = JSON.stringify({ url: receiver.url })
    const credential = createVault(secretsKey).seal(config, channelOwner({ accountId, id: channelId }))
    await sql`
      update notification_channels set credential = ${credential}, verified_at = now() where id = ${channelId}`
    const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()]
    for (const [id, name] of [[ada, 'ada'] as const, [bob, 'bob'] as const]) {
      await sql`
        insert into users (id, account_id, email, name, password_hash, created_at)
        values (${id}, ${accountId}, ${`${name}@example.org`}, ${name}, '', now())`
    }
    // ada's turn began a day ago; bob's begins while processes die
    const handOver = new Date(now() + 5 * minuteMs).toISOString()
    const startDate = new Date(Date.parse(handOver) - 24 * 60 * minuteMs).toISOString().slice(0, 10)
    const weekdays = [1, 2, 3, 4, 5, 6, 7]
    const turns = { userIds: [ada, bob], handOver: handOver.slice(11, 16), length: 1, unit: 'days' } as const
    const schedule = {
      id: crypto.randomUUID(),
      accountId,
      name: 'Primary',
      timeZone: 'UTC',
      layers: [{ ...turns, userIds: [ada, bob], startDate, weekdays }],
      overrides: [],
      feedId: crypto.randomUUID(),
    }
    const targets = { userIds: [], channelIds: [channelId], scheduleIds: [schedule.id] }
    const levels = [0, 1, 3].map((afterMinutes) => ({ afterMinutes, ...targets }))
    const policy = {
      id: crypto.randomUUID(),
      accountId,
      name: 'Night',
      levels,
      repeats: 9,
      repeatAfterMinutes: 2,
    }
    await transact(sql, async (tx) => {
      await writeSchedule(tx, schedule, now())
      await writePolicy(tx, policy, now())
    })
    await game.rule(accountId, { channelIds: [], escalationId: policy.id })
    const [escalated = '', taken = ''] = await game.checks(accountId, ['escalated', 'taken'])
    game.clock.nowMs = now()
    await game.flip([escalated, taken], 'down')

    const planes = await Promise.all([start(), start()])
    const startedAt = Date.now()
    for (let killed = 0; killed < kills; killed++) {
      await elapse(Math.random() * 1_000)
      const index = killed % planes.length
      await kill(planes[index])
      // sometimes nobody is left
      if (killed % 10 === 9) await kill(planes[1 - index])
      planes[index] = await start()
      if (killed % 10 === 9) planes[1 - index] = await start()
    }
    const killedFor = Math.round((Date.now() - startedAt) / 1_000)
    await vi.waitFor(
      () => expect(messagesOf('escalated').some(({ title }) => isTitle(title, 3, 2))).toBe(true),
      { timeout: 60_000, interval: 250 },
    )
    const settled = now()
    await elapse(settledMs)

    const reached = await sql<{ level: number; round: number; at: Date }[]>`
      select level, round, at from alert_escalations where check_id = ${escalated} order by at, level`
    const places = reached.map(({ level, round }) => (round - 1) * levels.length + level - 1)
    expect(places).toEqual(places.map((_, index) => index))
    const told = messagesOf('escalated')
    const due = reached.filter(({ at }) => at.getTime() <= settled)
    const untold = due.filter(({ level, round }) => !told.some(({ title }) => isTitle(title, level, round)))
    expect(untold).toEqual([])
    expect(due.length).toBeGreaterThan(levels.length)
    expect(new Set(told.map(({ alertKey }) => alertKey)).size).toBe(1)

    // without a mail server mails are stored
    const mails = await sql<{ text: string }[]>`
      select recipient || ': ' || (message ->> 'subject') as text from deliveries where kind = 'mail'`
    const mailsLike = (pattern: RegExp): number => mails.filter(({ text }) => pattern.test(text)).length
    expect(mailsLike(/^ada@example.org: escalated is down$/)).toBe(1)
    expect(mailsLike(/^bob@example.org: escalated .*escalation level/)).toBeGreaterThan(0)
    expect(mailsLike(/^ada@example.org: Your on-call shift is over/)).toBe(1)
    expect(mailsLike(/^bob@example.org: You are on call/)).toBe(1)

    const acting = { sql, now, rules: { publicUrl: options.publicUrl } as never }
    const listed = await listAlerts(acting, { accountId }, { query: { checkId: taken } })
    const id = 'alerts' in listed ? (listed.alerts[0]?.id ?? '') : ''
    const actor = { kind: 'key', id: 'k', name: 'ci', address: '' } as const
    const acked = await acknowledgeAlert(acting, { accountId, actor }, { params: { id } })
    expect(acked).toMatchObject({ acknowledgedBy: 'API key ci' })
    await elapse(5_000)
    const atAck = messagesOf('taken').length
    // five minutes on the fast clock: longer than to any next level
    await elapse((5 * minuteMs) / speed)
    const late = messagesOf('taken').slice(atAck)
    expect(late.filter(({ title }) => !title.includes(': acknowledged by'))).toEqual([])
    expect(messagesOf('escalated').length).toBeGreaterThan(told.length)
    const repeats = told.filter(({ title }) => title.includes('repeat')).length
    await recordFigure(
      context,
      `${kills} kills in ${killedFor} s: ${due.length} levels due, all told; ${told.length} messages, ` +
        `${repeats} of them repeats; none later than 5 s after the acknowledgement`,
    )
  },
)
