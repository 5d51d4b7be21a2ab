import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectPostgres } from '../postgres/connect.ts'
import type { Sql } from '../postgres/connect.ts'
import { closeAbandoned } from './record-incidents.ts'
import { alertGame, publishChecks } from './testing.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let sql: Sql
let game: ReturnType<typeof alertGame>
let accountId: string

beforeAll(async () => {
  database = await createTestDatabase()
  sql = connectPostgres(database.url, { role: 'probe_mesh_system' })
})
afterAll(async () => {
  await sql.end()
  await database.close()
})
beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from outbox`
  game = alertGame(sql)
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

test('a check that goes down has an incident on each page that publishes it, and mails nobody', async () => {
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
  expect((await timeline())[0]).toBe(
    'investigating: 2 of 2 regions fail (fra, iad): connection refused\nSince 2026-11-20T12:00:00Z.\nFailing in fra, iad.',
  )
  game.pass(300_000)
  await game.flip([shop ?? ''], 'operational')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  expect((await timeline()).at(-1)).toBe(
    'resolved: Recovered after 5 min, operational since 2026-11-20T12:05:00Z.',
  )
  expect(await sql`select from outbox where kind = 'mail'`).toHaveLength(0)
  expect(await sql`select from outbox where kind = 'incident'`).toHaveLength(4)
})

test('a check that no page publishes has none', async () => {
  await game.flip(await game.checks(accountId, ['shop']), 'down')
  await game.act()
  expect(await incidents()).toHaveLength(0)
})

test('degraded and stale open none and resolve none', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  await game.flip([shop ?? ''], 'degraded')
  await game.act()
  expect(await incidents()).toHaveLength(0)
  await game.flip([shop ?? ''], 'down')
  await game.flip([shop ?? ''], 'stale')
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['investigating'])
})

test('one cause opens one incident, which is resolved when the last of its checks recovers', async () => {
  const checks = await game.checks(
    accountId,
    ['a', 'b', 'c'],
    (name) => `https://h.example.org/${name}`,
  )
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
  expect((await incidents()).map(({ title }) => title)).toEqual(['a is down'])
  for (const check of [a, b]) {
    await game.flip(check ?? [], 'operational')
    await game.act()
    expect((await incidents())[0]?.status).toBe('investigating')
  }
  await game.flip(c ?? [], 'operational')
  await game.act()
  expect((await incidents())[0]?.status).toBe('resolved')
  expect((await timeline()).slice(1)).toEqual([
    'investigating: Down as well: b.',
    'investigating: Down as well: c.',
    'resolved: All 3 have recovered after 2 min, operational since 2026-11-20T12:02:00Z.',
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

test('1,000 checks that go down at once are one incident with a short timeline', async () => {
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

test('an outage that passed while nobody looked is on record', async () => {
  const [shop] = await game.checks(accountId, ['shop'])
  await publishChecks(sql, accountId, [shop ?? ''])
  for (const to of ['down', 'operational', 'down', 'operational'] as const) {
    await game.flip([shop ?? ''], to)
    game.pass(600_000)
  }
  await game.act()
  expect((await incidents()).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
})

test('an incident whose last failing check is deleted or paused is closed, and says so', async () => {
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
  expect((await incidents())[0]?.status).toBe('resolved')
  expect((await timeline()).at(-1)).toBe('resolved: No check of this incident is watched any more.')
  // what a person opens again after that is theirs
  await sql`update incidents set status = 'monitoring', resolved_at = null`
  expect(await closeAbandoned(game.context, 10)).toBe(0)
})
