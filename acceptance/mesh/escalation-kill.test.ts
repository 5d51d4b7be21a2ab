import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import type { MeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { startTarget } from '@probe-mesh/infra/testing/target'
import type { Target } from '@probe-mesh/infra/testing/target'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const kills = 50
/** Most of this test are starts; the last kills are left out on a machine that needs longer for them. */
const killsWithinMs = 200_000
const killsMin = 25
const minuteMs = 60_000

type Received = { title: string; key: string; atMs: number }

let folder: string
let mesh: MeshProcess
let target: Target
let sql: Sql
const received: Received[] = []

/** What a channel of the test receives: the default form of a JSON channel. */
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const { data } = JSON.parse(body) as { data: { title: string; alertKey: string } }
    received.push({ title: data.title, key: data.alertKey, atMs: Date.now() })
    response.writeHead(204).end()
  })
})

beforeAll(async () => {
  target = await startTarget()
  target.behave('fail')
  folder = await mkdtemp(join(tmpdir(), 'escalation-'))
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  mesh = await createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: {
      TARGET_ALLOW: '127.0.0.0/8',
      CHANNEL_ALLOW: '127.0.0.0/8',
      BUDGET_SCALE: '10000',
      TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
    },
  })
  await mesh.start()
}, 120_000)
afterAll(async () => {
  await sql?.end()
  await mesh.close()
  receiver.close()
  await target.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** A path of the receiver as a verified channel. */
const createChannel = async (client: ReturnType<typeof createApiClient>, path: string): Promise<string> => {
  const { port } = receiver.address() as AddressInfo
  const config = { url: `http://127.0.0.1:${port}/${path}` }
  const made = await client.call('createChannel', { body: { type: 'json', name: path, config } })
  if (!made.ok) throw new Error(made.problem.message)
  const tested = await client.call('testChannel', { params: { id: made.value.id } })
  if (!tested.ok || !tested.value.delivered) throw new Error('the receiver did not get the test')
  return made.value.id
}

test(
  'through fifty kills each level is told, to whom is on call then, repeats say so, and an acknowledgement ends it',
  { timeout: 420_000 },
  async (context) => {
    const { apiKey } = await mesh.credentials()
    const client = createApiClient({ apiUrl: mesh.apiUrl, apiKey })
    const channelId = await createChannel(client, 'first')
    sql = connectPostgres((await mesh.stores()).databaseUrl)
    const [account] = await sql<{ id: string }[]>`select account_id as id from notification_channels`
    const accountId = account?.id ?? ''
    const members = ['ada', 'bob'].map((name) => ({ id: crypto.randomUUID(), name }))
    for (const { id, name } of members) {
      await sql`
        insert into users (id, account_id, email, name, password_hash, created_at)
        values (${id}, ${accountId}, ${`${name}@example.org`}, ${name}, '', now())`
    }
    const [ada, bob] = members.map(({ id }) => id)
    const scheduleId = crypto.randomUUID()
    const handOverMs = Date.now() + 1.5 * minuteMs
    const handOver = new Date(handOverMs).toISOString().slice(11, 16)
    const startDate = new Date(handOverMs - 86_400_000).toISOString().slice(0, 10)
    const weekdays = [1, 2, 3, 4, 5, 6, 7]
    // ada's turn began a day ago; bob's begins within this test
    const layers = [{ userIds: [ada, bob], handOver, length: 1, unit: 'days', startDate, weekdays }]
    await sql`
      insert into on_call_schedules (id, account_id, name, time_zone, layers, overrides, feed_id, next_look_at,
        created_at)
      values (${scheduleId}, ${accountId}, 'Primary', 'UTC', ${sql.json(layers as never)}, '[]',
        ${crypto.randomUUID()}, now(), now())`
    const level = (afterMinutes: number, of: object) => ({
      afterMinutes,
      userIds: [],
      scheduleIds: [],
      channelIds: [],
      ...of,
    })
    const policyId = crypto.randomUUID()
    const levels = [
      level(0, { channelIds: [channelId], scheduleIds: [scheduleId] }),
      level(1, { channelIds: [channelId], scheduleIds: [scheduleId] }),
    ]
    await sql`
      insert into escalation_policies (id, account_id, name, levels, repeats, repeat_after_minutes, created_at)
      values (${policyId}, ${accountId}, 'Night', ${sql.json(levels)}, 9, 1, now())`
    await sql`
      update alert_rules set escalation_id = ${policyId}, channel_ids = '{}', email_users = false
      where account_id = ${accountId}`

    const checks: string[] = []
    for (const name of ['escalated', 'acknowledged']) {
      const body = { name, url: target.url(`/${name}`), intervalSeconds: 5 }
      const made = await client.call('createCheck', { body })
      expect(made.ok).toBe(true)
      if (made.ok) checks.push(made.value.id)
    }
    received.length = 0
    const startedAt = Date.now()
    let killed = 0
    while (killed < kills && (killed < killsMin || Date.now() - startedAt < killsWithinMs)) {
      await elapse(200 + Math.random() * 1_200)
      await mesh.kill()
      killed += 1
      await mesh.start()
    }
    await vi.waitFor(
      () =>
        expect(received.filter(({ title }) => /^escalated .*repeat/.test(title)).length).toBeGreaterThan(0),
      { timeout: 120_000, interval: 500 },
    )

    // each level of each round was reached, in order; a level that was reached was told
    const reached = await sql<{ level: number; round: number; atMs: number }[]>`
      select level, round, extract(epoch from at)::float8 * 1000 as "atMs" from alert_escalations
      where check_id = ${checks[0] ?? ''} order by at, level`
    const places = reached.map(({ level, round }) => (round - 1) * levels.length + level - 1)
    expect(places).toEqual(places.map((_, index) => index))
    expect(places.length).toBeGreaterThan(levels.length)
    const titles = received.filter(({ title }) => title.startsWith('escalated ')).map(({ title }) => title)
    const [, ...later] = reached.filter(({ atMs }) => atMs < Date.now() - 20_000)
    expect(titles).toContain('escalated is down')
    for (const { level, round } of later) {
      const words = `(escalation level ${level}${round === 1 ? '' : `, repeat ${round - 1}`})`
      expect(
        titles.some((title) => title.endsWith(words)),
        `${words} in ${titles.join('; ')}`,
      ).toBe(true)
    }
    const keys = new Set(received.filter(({ title }) => title.startsWith('escalated ')).map(({ key }) => key))
    expect(keys.size).toBe(1)
    // who was on call then got a mail of the level, and both members one of the hand-over
    const mails = await sql<{ recipient: string; subject: string }[]>`
      select recipient, message ->> 'subject' as subject from deliveries where kind = 'mail'`
    const mailsOf = (name: string): string[] =>
      mails.filter(({ recipient }) => recipient === `${name}@example.org`).map(({ subject }) => subject)
    expect(mailsOf('ada')).toContain('escalated is down')
    expect(mailsOf('bob').some((subject) => /escalated .*escalation level/.test(subject))).toBe(true)
    expect(mailsOf('ada').filter((subject) => subject.startsWith('Your on-call shift is over'))).toHaveLength(
      1,
    )
    expect(mailsOf('bob').filter((subject) => subject.startsWith('You are on call'))).toHaveLength(1)

    // an acknowledgement ends it within 5 s, also of what waits
    const listed = await client.call('listAlerts', { query: { checkId: checks[1] ?? '' } })
    const alertId = listed.ok ? (listed.value.alerts[0]?.id ?? '') : ''
    const acked = await client.call('acknowledgeAlert', { params: { id: alertId } })
    expect(acked).toMatchObject({ ok: true, value: { acknowledgedBy: expect.any(String) } })
    const ackedAt = Date.now()
    const before = received.filter(({ title }) => title.startsWith('acknowledged ')).length
    await elapse(75_000)
    const after = received.filter(
      ({ title, atMs }) => title.startsWith('acknowledged ') && atMs > ackedAt + 5_000,
    )
    expect(
      after.filter(({ title }) => !title.includes(': acknowledged by')).map(({ title }) => title),
    ).toEqual([])
    expect(before).toBeGreaterThan(0)
    await recordFigure(
      context,
      `${killed} kills: ${reached.length} levels reached and told, ${titles.length} messages to the channel, ` +
        `${titles.filter((title) => title.includes('repeat')).length} of them repeats, none after the acknowledgement`,
    )
  },
)
