import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { closeAbandoned } from './leave-incidents.ts'
import { alertScenario, publishChecks } from '../app/alerting/testing.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
let accountId: string

beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from outbox`
  game = alertScenario(sql)
  accountId = await game.account()
})

const incidents = async () =>
  await sql<{ status_page_id: string; title: string; status: string; region: string }[]>`
    select status_page_id, title, status, region from incidents
    where source = 'automatic' order by started_at, title`
const timeline = async (): Promise<string[]> =>
  (
    await sql<{ line: string }[]>`
      select status || ': ' || body as line from incident_updates order by sequence`
  ).map(({ line }) => line)

test('opens an incident on each page that publishes the check, without mail', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  const pages = [
    await publishChecks(sql, accountId, [shop ?? '']),
    await publishChecks(sql, accountId, [shop ?? '']),
  ]
  await game.flip([shop ?? ''], 'down')
  await game.act()
  const open = await incidents()
  expect(open.map((incident) => incident.status_page_id).toSorted()).toEqual(pages.toSorted())
  expect(open[0]).toMatchObject({ title: 'shop is down', status: 'investigating', region: 'fra' })
  expect((await timeline())[0]).toBe('investigating: connection refused\nFailing in fra, iad.')
  game.pass(300_000)
  await game.flip([shop ?? ''], 'operational')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  expect((await timeline()).at(-1)).toBe('resolved: Recovered after 5 min.')
  expect(await sql`select from outbox where kind = 'mail'`).toHaveLength(0)
  expect(await sql`select from outbox where kind = 'incident'`).toHaveLength(4)
})

test('opens no incident for an unpublished check', async () => {
  await game.flip(await game.checks(accountId, ['shop']), 'down')
  await game.act()
  expect(await incidents()).toHaveLength(0)
})

test('does not open on degraded or stale; stale adds an update and does not resolve', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  await game.flip([shop ?? ''], 'degraded')
  await game.flip([shop ?? ''], 'stale')
  await game.act()
  expect(await incidents()).toHaveLength(0)
  await game.flip([shop ?? ''], 'down')
  await game.flip([shop ?? ''], 'stale')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['investigating'])
  expect((await timeline()).at(-1)).toBe(
    'investigating: Not measured now, so it is not known whether the outage continues: shop.',
  )
  game.pass(3_600_000)
  await game.flip([shop ?? ''], 'down')
  await game.act()
  // no region has seen it up in the meantime
  expect((await incidents()).map(({ status }) => status)).toEqual(['investigating'])
  await game.flip([shop ?? ''], 'operational')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved'])
})

test('resolves the incident of a check that is blocked after an outage, with its status', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  await game.flip([shop ?? ''], 'down')
  await game.act()
  game.pass(30_000)
  await game.flip([shop ?? ''], 'degraded', { reason: 'blocked (fra, iad): a challenge' })
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved'])
  expect((await timeline()).at(-1)).toBe(
    'resolved: No check of this incident is down any more, 30 s after it began.\nNo longer down but degraded: shop (blocked (fra, iad): a challenge).',
  )
})

test('opens separate incidents for other outages while a check is blocked', async () => {
  const [cf, mode, ok] = await game.checks(
    accountId,
    ['CF', 'Mode', 'ok'],
    (name) => `http://127.0.0.1:31082/${name}`,
  )
  await publishChecks(sql, accountId, [cf ?? '', mode ?? '', ok ?? ''])
  await game.flip([cf ?? ''], 'down')
  await game.act()
  game.pass(10_000)
  await game.flip([cf ?? ''], 'degraded', { reason: 'blocked (fra, iad): a challenge' })
  await game.act()
  game.pass(60_000)
  await game.flip([mode ?? ''], 'down')
  await game.act()
  expect((await incidents()).map(({ title, status }) => [title, status])).toEqual([
    ['CF is down', 'resolved'],
    ['Mode is down', 'investigating'],
  ])
  game.pass(600_000)
  await game.flip([ok ?? ''], 'down')
  await game.flip([mode ?? ''], 'operational')
  await game.act()
  expect((await incidents()).map(({ title, status }) => [title, status])).toEqual([
    ['CF is down', 'resolved'],
    ['Mode is down', 'resolved'],
    ['ok is down', 'investigating'],
  ])
})

test('titles an open incident by the checks that are down and reports each change', async () => {
  const checks = await game.checks(accountId, ['a', 'b', 'c'], () => 'https://h.example.org/')
  await publishChecks(sql, accountId, checks)
  const [a, b, c] = checks.map((id) => [id])
  const titles = async () => (await incidents()).map(({ title }) => title)
  await game.flip(a ?? [], 'down')
  game.pass(1)
  await game.flip(b ?? [], 'down')
  await game.act()
  expect(await titles()).toEqual(['a and 1 more are down'])
  game.pass(59_999)
  await game.flip(c ?? [], 'down')
  await game.act()
  expect(await titles()).toEqual(['a and 2 more are down'])
  await game.flip(a ?? [], 'operational')
  await game.act()
  expect(await titles()).toEqual(['b and 1 more are down'])
  game.pass(60_000)
  // it went up and is down again: within two minutes that is the same outage
  await game.flip(a ?? [], 'down')
  await game.act()
  expect(await titles()).toEqual(['b and 2 more are down'])
  await game.flip([...(a ?? []), ...(b ?? [])], 'degraded', {
    reason: '1 of 2 regions fail (fra): no',
  })
  await game.act()
  expect(await titles()).toEqual(['c is down'])
  await game.flip(c ?? [], 'operational')
  await game.act()
  // once over, its title counts all its checks
  expect(await titles()).toEqual(['b and 2 more are down'])
  expect((await timeline()).slice(1)).toEqual([
    'investigating: Also down: c.\nDown now: a, b, c.',
    'investigating: Recovered: a.',
    'investigating: Down again: a.\nDown now: b, c, a.',
    'investigating: No longer down but degraded: b (1 of 2 regions fail (fra): no), a (1 of 2 regions fail (fra): no).',
    'resolved: No check of this incident is down any more, 2 min after it began.\nRecovered: c.\nNot operational yet: b, a.',
  ])
})

test('opens a new incident for a check that recovered earlier', async () => {
  const checks = await game.checks(accountId, ['a', 'b'], () => 'https://h.example.org/')
  await publishChecks(sql, accountId, checks)
  const [a, b] = checks.map((id) => [id])
  await game.flip(a ?? [], 'down')
  game.pass(1)
  await game.flip(b ?? [], 'down')
  await game.act()
  await game.flip(a ?? [], 'operational')
  await game.act()
  game.pass(120_001)
  await game.flip(a ?? [], 'down')
  await game.act()
  expect((await incidents()).map(({ title, status }) => [title, status])).toEqual([
    ['b is down', 'investigating'],
    ['a is down', 'investigating'],
  ])
})

test.each([
  ['two minutes', 120_000, ['investigating']],
  ['more than two minutes', 120_001, ['resolved', 'investigating']],
])('one that comes back after %s', async (_, laterMs, statuses) => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  await game.flip([shop ?? ''], 'down')
  await game.flip([shop ?? ''], 'operational')
  await game.act()
  game.pass(laterMs)
  await game.flip([shop ?? ''], 'down')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(statuses)
})

test('does not reopen an incident that a person resolved; the next outage opens a new one', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  await game.flip([shop ?? ''], 'down')
  await game.act()
  await sql`update incidents set status = 'resolved', resolved_at = ${new Date(game.clock.nowMs)}`
  game.pass(1_000)
  await game.flip([shop ?? ''], 'stale')
  await game.flip([shop ?? ''], 'down')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'investigating'])
})

test('opens one incident for one cause and resolves it when the last check recovers', async () => {
  const checks = await game.checks(accountId, ['a', 'b', 'c'], (name) => `https://h.example.org/${name}`)
  await publishChecks(sql, accountId, checks)
  const [a, b, c] = checks.map((id) => [id])
  await game.flip(a ?? [], 'down')
  await game.act()
  game.pass(60_000)
  await game.flip(b ?? [], 'down', { reason: 'timeout' })
  await game.act()
  game.pass(60_000)
  await game.flip(c ?? [], 'down', { reason: 'expected status 200, got 503' })
  await game.act()
  expect((await incidents()).map(({ title }) => title)).toEqual(['a and 2 more are down'])
  for (const check of [a, b]) {
    await game.flip(check ?? [], 'operational')
    await game.act()
    expect((await incidents())[0]?.status).toBe('investigating')
  }
  await game.flip(c ?? [], 'operational')
  await game.act()
  expect((await incidents())[0]?.status).toBe('resolved')
  expect((await timeline()).slice(1)).toEqual([
    'investigating: Also down: b.\nDown now: a, b.',
    'investigating: Also down: c.\nDown now: a, b, c.',
    'investigating: Recovered: a.',
    'investigating: Recovered: b.',
    'resolved: All 3 have recovered after 2 min.',
  ])
})

test.each([
  ['by the same reason from the same regions', 'connection refused', 60_000, 1],
  ['by another reason', 'expected status 200, got 503', 60_000, 2],
  ['after more than two minutes', 'connection refused', 120_001, 2],
])('a check of another host that goes down %s', async (_, reason, laterMs, expected) => {
  const [a, b] = await game.checks(accountId, ['a', 'b'])
  await publishChecks(sql, accountId, [a ?? '', b ?? ''])
  await game.flip([a ?? ''], 'down')
  await game.act()
  game.pass(laterMs)
  await game.flip([b ?? ''], 'down', { reason })
  await game.act()
  expect(await incidents()).toHaveLength(expected)
})

test('opens one incident with a short timeline for 1,000 checks that go down at once', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `check-${index}`)
  const checks = await game.checks(accountId, names)
  await publishChecks(sql, accountId, checks)
  await game.flip(checks, 'down')
  await game.act()
  expect(await incidents()).toHaveLength(1)
  expect((await timeline()).length).toBeLessThanOrEqual(5)
  await game.flip(checks, 'operational')
  await game.act()
  expect((await incidents())[0]?.status).toBe('resolved')
})

test('records an outage that began and ended while no alerter was running, with its end', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  for (const to of ['down', 'operational', 'down', 'operational'] as const) {
    await game.flip([shop ?? ''], to)
    game.pass(600_000)
  }
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  // as its last check did, however late that was noticed
  const lasted = await sql`select extract(epoch from resolved_at - started_at)::int as seconds from incidents`
  expect(lasted.map(({ seconds }) => seconds)).toEqual([600, 600])
})

test('resolves an incident whose last failing check is deleted or paused, with the reason', async () => {
  const checks = await game.checks(accountId, ['a', 'b'], () => 'https://h.example.org/')
  await publishChecks(sql, accountId, checks)
  const [a, b] = checks.map((id) => [id])
  await game.flip(a ?? [], 'down')
  await game.act()
  await game.flip(b ?? [], 'down')
  await game.act()
  await game.flip(a ?? [], 'operational')
  await game.act()
  expect(await closeAbandoned(game.context, 10)).toBe(0)
  await sql`delete from checks where id = ${checks[1] ?? ''}`
  expect(await closeAbandoned(game.context, 10)).toBe(1)
  expect((await incidents())[0]).toMatchObject({
    status: 'resolved',
    title: 'a is down',
  })
  expect((await timeline()).at(-1)).toBe('resolved: No check of this incident is watched any more.')
  // an incident that a person reopens is left alone
  await sql`update incidents set status = 'monitoring', resolved_at = null`
  expect(await closeAbandoned(game.context, 10)).toBe(0)
})

test('resolves the incident of a paused check without mentioning missing data, and a later outage opens another', async () => {
  const [shop = ''] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop])
  await game.flip([shop], 'down')
  await game.act()
  await sql`update checks set paused = true where id = ${shop}`
  await game.flip([shop], 'stale')
  await game.act()
  expect(await closeAbandoned(game.context, 10)).toBe(1)
  expect((await timeline()).slice(1)).toEqual(['resolved: No check of this incident is watched any more.'])
  await sql`update checks set paused = false where id = ${shop}`
  game.pass(3_600_000)
  await game.flip([shop], 'down')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'investigating'])
})

test('posts of a German page are in German, and the names and reasons stay', async () => {
  const ids = await game.checks(accountId, ['web', 'web'], () => 'https://h.example.org/')
  const pageId = await publishChecks(sql, accountId, ids)
  await sql`update status_pages set locale = 'de-AT' where id = ${pageId}`
  await game.flip(ids, 'down')
  await game.act()
  expect((await incidents())[0]?.title).toBe('web und 1 weitere sind ausgefallen')
  expect((await timeline())[0]).toBe(
    'investigating: connection refused\nFehler in fra, iad.\nAuch ausgefallen: web.',
  )
  game.pass(60_000)
  await game.flip(ids, 'operational')
  await game.act()
  expect((await timeline()).at(-1)).toBe('resolved: Alle 2 sind nach 1 min wiederhergestellt.')
})

test('a pause ends the time that a check was down, although it is well only later', async () => {
  const [shop = ''] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop])
  await game.flip([shop], 'down')
  await game.act()
  game.pass(30_000)
  await sql`update checks set paused = true where id = ${shop}`
  await game.flip([shop], 'stale')
  const pausedAt = new Date(game.clock.nowMs)
  await game.act()
  game.pass(20_000)
  await sql`update checks set paused = false where id = ${shop}`
  game.pass(12_000)
  await game.flip([shop], 'operational')
  await game.act()
  const [member] =
    await sql`select recovered_at, ended_at from incident_members join outages using (check_id)`
  expect(member).toEqual({ recovered_at: pausedAt, ended_at: pausedAt })
})

test('removes a paused check from an incident with other failing checks', async () => {
  const checks = await game.checks(accountId, ['a', 'b'], () => 'https://h.example.org/')
  await publishChecks(sql, accountId, checks)
  await game.flip(checks, 'down')
  await game.act()
  await sql`update checks set paused = true where id = ${checks[0] ?? ''}`
  expect(await closeAbandoned(game.context, 10)).toBe(1)
  expect(await incidents()).toMatchObject([{ status: 'investigating', title: 'b is down' }])
  expect((await timeline()).at(-1)).toBe('investigating: No longer watched: a.')
  expect(await closeAbandoned(game.context, 10)).toBe(0)
})

test('is major while a part of the page is down, critical once all of it was, and is never lowered', async () => {
  const impacts = async () =>
    (await sql<{ measured_impact: string }[]>`select measured_impact from incidents`).map(
      (row) => row.measured_impact,
    )
  const [a = '', b = '', c = ''] = await game.checks(
    accountId,
    ['a', 'b', 'c'],
    () => 'https://h.example.org/',
  )
  const pageId = await publishChecks(sql, accountId, [a, b])
  await game.flip([a], 'down')
  await game.act()
  expect(await impacts()).toEqual(['major'])
  game.pass(10_000)
  await game.flip([b], 'down')
  await game.act()
  expect(await impacts()).toEqual(['critical'])
  game.pass(10_000)
  await game.flip([a], 'operational')
  await game.act()
  await sql`
    insert into components (id, account_id, status_page_id, check_id, display_name, created_at, updated_at)
    values (${crypto.randomUUID()}, ${accountId}, ${pageId}, ${c}, 'c', now(), now())`
  // b and c, of a, b and c
  await game.flip([c], 'down')
  await game.act()
  expect(await impacts()).toEqual(['critical'])
})
