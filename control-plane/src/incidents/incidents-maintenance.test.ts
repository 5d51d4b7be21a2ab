import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { beforeEach, expect, test } from 'vitest'
import { alertScenario, publishChecks } from '../app/alerting/testing.ts'

const minuteMs = 60_000

const sql = useTestSql({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
let accountId: string
let shop: string
let page: string

beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from outbox`
  game = alertScenario(sql)
  accountId = await game.account()
  shop = (await game.checks(accountId, ['shop']))[0] ?? ''
  page = await publishChecks(sql, accountId, [shop])
})

const incidents = async () =>
  await sql<{ status_page_id: string; title: string; status: string; started_at: Date }[]>`
    select status_page_id, title, status, started_at from incidents
    where source = 'automatic' order by started_at, title`
const held = async () => (await sql`select from held_failures`).length
/** Maintenance of a whole page, minutes from now. */
const announce = async (fromMinutes: number, toMinutes: number, statusPageId = page) => {
  const at = (minutes: number) => new Date(game.clock.nowMs + minutes * minuteMs)
  const id = uuidv7(game.clock.nowMs)
  await sql`
    insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at,
      whole_page, created_at)
    values (${id}, ${accountId}, ${statusPageId}, 'disks', 'new', ${at(fromMinutes)},
      ${at(toMinutes)}, true, ${at(0)})`
  return id
}

test('opens no incident for an outage that starts and ends during maintenance', async () => {
  await announce(0, 30)
  game.pass(minuteMs)
  await game.flip([shop], 'down')
  await game.act()
  expect(await incidents()).toEqual([])
  game.pass(10 * minuteMs)
  await game.flip([shop], 'operational')
  await game.act()
  game.pass(60 * minuteMs)
  await game.act()
  expect(await incidents()).toEqual([])
  expect(await held()).toBe(0)
})

test('opens an incident after maintenance for a check that is still down, with the reason for the delay', async () => {
  await announce(0, 30)
  game.pass(minuteMs)
  const downAt = new Date(game.clock.nowMs)
  await game.flip([shop], 'down')
  await game.act()
  game.pass(29 * minuteMs - 1)
  await game.act()
  expect(await incidents()).toEqual([])
  game.pass(1)
  await game.act()
  expect(await incidents()).toMatchObject([
    { title: 'shop is down', status: 'investigating', started_at: downAt },
  ])
  const [update] = await sql`select body from incident_updates`
  expect(update?.['body']).toContain('Maintenance delayed this incident until now.')
  expect(await held()).toBe(0)
})

test('releases held failures within seconds when a window is ended early', async () => {
  const id = await announce(0, 90)
  await game.flip([shop], 'down')
  await game.act()
  game.pass(minuteMs)
  await sql`update maintenance_windows set ends_at = ${new Date(game.clock.nowMs)} where id = ${id}`
  game.pass(15_000)
  await game.act()
  expect(await incidents()).toMatchObject([{ status: 'investigating' }])
})

test('opens an incident on a page without maintenance', async () => {
  const other = await publishChecks(sql, accountId, [shop])
  await announce(0, 30)
  await game.flip([shop], 'down')
  await game.act()
  expect((await incidents()).map((incident) => incident.status_page_id)).toEqual([other])
})

test('opens no incident for an outage within maintenance that is processed late', async () => {
  await announce(0, 30)
  game.pass(minuteMs)
  await game.flip([shop], 'down')
  game.pass(minuteMs)
  await game.flip([shop], 'operational')
  game.pass(60 * minuteMs)
  await game.act()
  expect(await incidents()).toEqual([])
})

test('keeps an earlier incident open and resolves it on recovery', async () => {
  await game.flip([shop], 'down')
  await game.act()
  await announce(0, 30)
  game.pass(minuteMs)
  await game.flip([shop], 'operational')
  await game.act()
  expect(await incidents()).toMatchObject([{ status: 'resolved' }])
})

test('opens no incident after maintenance for a check that is blocked, silent or deleted', async () => {
  await announce(0, 30)
  await game.flip([shop], 'down')
  await game.flip([shop], 'stale')
  await game.act()
  game.pass(31 * minuteMs)
  await game.act()
  expect(await incidents()).toEqual([])
  expect(await held()).toBe(0)
})
