import { setTimeout as elapse } from 'node:timers/promises'
import { ok, startReceiver } from '@probe-mesh/control-plane/notifications/outgoing/testing'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { createTestOwner } from '@probe-mesh/infra/testing/processes/account'
import { startProcesses } from '@probe-mesh/infra/testing/processes/processes'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget } from '@probe-mesh/infra/testing/target'
import type { Target } from '@probe-mesh/infra/testing/target'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { actAs } from '../web/system/client.ts'

/**
 * Kills control planes while two alerts are escalated and members hand over. Levels are told on time or late, in order,
 * none is skipped, and an acknowledgement ends all of it.
 */

const kills = 50
const minuteMs = 60_000
/** A killed control plane leaves its claims for a while. */
const settledMs = 30_000
const patience = { timeout: 120_000, interval: 250 }

let mesh: Processes
let target: Target
let receiver: Awaited<ReturnType<typeof startReceiver>>
let sql: Sql

beforeAll(async () => {
  ;[target, receiver] = await Promise.all([startTarget(), startReceiver(ok)])
  target.behave('fail')
  mesh = await startProcesses({
    regions: ['fra'],
    agentsPerRegion: 1,
    tiers: { scale: { intervalSecondsMin: 1 } },
    budgetScale: 10_000,
    environment: { CHANNEL_ALLOW: '127.0.0.0/8' },
  })
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 2 })
}, 240_000)
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  await mesh?.close()
  await Promise.all([target, receiver].map((one) => one?.close()))
}, 120_000)

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
  { timeout: 480_000 },
  async (context) => {
    const owner = await createTestOwner(mesh.databaseUrl)
    const act = await actAs(new URL(mesh.apiUrl).origin, owner)
    const channel = await act('createChannel', {
      body: { type: 'json', name: 'hook', config: { url: receiver.url } },
    })
    await act('testChannel', { params: { id: channel.id } })
    const [account] = await sql<{ id: string }[]>`select account_id as id from notification_channels`
    const [ada = '', bob = ''] = [crypto.randomUUID(), crypto.randomUUID()]
    for (const [id, name] of [
      [ada, 'ada'],
      [bob, 'bob'],
    ]) {
      await sql`
        insert into users (id, account_id, email, name, password_hash, created_at)
        values (${id ?? ''}, ${account?.id ?? ''}, ${`${name}@example.org`}, ${name ?? ''}, '', now())`
    }
    // ada's turn began a day ago; bob's begins while control planes die
    const handOver = new Date(Date.now() + 2 * minuteMs).toISOString()
    const startDate = new Date(Date.parse(handOver) - 24 * 60 * minuteMs).toISOString().slice(0, 10)
    const turns = { userIds: [ada, bob], handOver: handOver.slice(11, 16), length: 1, unit: 'days' } as const
    const schedule = await act('createSchedule', {
      body: { name: 'Primary', timeZone: 'UTC', layers: [{ ...turns, startDate }] },
    })
    const receivers = { channelIds: [channel.id], scheduleIds: [schedule.id] }
    const policy = await act('createEscalationPolicy', {
      body: {
        name: 'Night',
        levels: [
          { afterMinutes: 0, ...receivers },
          { afterMinutes: 1, ...receivers },
        ],
        repeats: 9,
        repeatAfterMinutes: 1,
      },
    })
    for (const { id } of (await act('listAlertRules', {})).alertRules) {
      await act('deleteAlertRule', { params: { id } })
    }
    await act('createAlertRule', { body: { name: 'night', channelIds: [], escalationId: policy.id } })
    const checks: Record<string, string> = {}
    for (const name of ['escalated', 'taken']) {
      const made = await act('createCheck', {
        body: { name, url: target.url(`/${name}`), intervalSeconds: 5 },
      })
      checks[name] = made.id
    }

    const startedAt = Date.now()
    for (let killed = 0; killed < kills; killed++) {
      const victim = mesh.controlPlanes[killed % mesh.controlPlanes.length]
      await victim?.kill()
      await Promise.all([victim?.start(), elapse(Math.random() * 2_000)])
    }
    const killedFor = Math.round((Date.now() - startedAt) / 1_000)
    await vi.waitFor(() => {
      expect(messagesOf('escalated').some(({ title }) => isTitle(title, 2, 2))).toBe(true)
    }, patience)
    await elapse(settledMs)

    const reached = await sql<{ level: number; round: number; ageMs: number }[]>`
      select level, round, extract(epoch from now() - at)::float8 * 1000 as "ageMs" from alert_escalations
      where check_id = ${checks['escalated'] ?? ''} order by at, level`
    const places = reached.map(({ level, round }) => (round - 1) * 2 + level - 1)
    expect(places).toEqual(places.map((_, index) => index))
    const told = messagesOf('escalated')
    const due = reached.filter(({ ageMs }) => ageMs > settledMs)
    for (const { level, round } of due) {
      const isTold = told.some(({ title }) => isTitle(title, level, round))
      expect([level, round, isTold, told.map(({ title }) => title)]).toMatchObject([level, round, true, {}])
    }
    expect(new Set(told.map(({ alertKey }) => alertKey)).size).toBe(1)

    // no mail server: mails are stored as they would be sent
    const mails = await sql<{ text: string }[]>`
      select recipient || ': ' || (message ->> 'subject') as text from deliveries where kind = 'mail'`
    const mailsLike = (pattern: RegExp): number => mails.filter(({ text }) => pattern.test(text)).length
    expect(mailsLike(/^ada@example.org: escalated is down$/)).toBe(1)
    expect(mailsLike(/^bob@example.org: escalated .*escalation level/)).toBeGreaterThan(0)
    expect(mailsLike(/^ada@example.org: Your on-call shift is over/)).toBe(1)
    expect(mailsLike(/^bob@example.org: You are on call/)).toBe(1)

    const { alerts } = await act('listAlerts', { query: { checkId: checks['taken'] ?? '' } })
    await act('acknowledgeAlert', { params: { id: alerts[0]?.id ?? '' } })
    await elapse(5_000)
    const atAck = messagesOf('taken').length
    // longer than to any next level
    await elapse(75_000)
    const late = messagesOf('taken').slice(atAck)
    expect(late.filter(({ title }) => !title.includes(': acknowledged by'))).toEqual([])
    expect(messagesOf('escalated').length).toBeGreaterThan(told.length)
    const repeats = told.filter(({ title }) => title.includes('repeat')).length
    await recordFigure(
      context,
      `${kills} kills in ${killedFor} s: ${reached.length} levels reached, ${due.length} due, all told; ` +
        `${told.length} messages, ${repeats} of them repeats; none later than 5 s after the acknowledgement`,
    )
  },
)
