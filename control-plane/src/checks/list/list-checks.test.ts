import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { CheckRows, type CheckRow } from '@probe-mesh/contracts/check/check-row'
import { CheckPart } from '@probe-mesh/contracts/check/check-list'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestApp, startTestApp, type TestAccount, type TestApp } from '../../app/testing/test-app.ts'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { newRegionState } from '../../status/state.ts'
import { readingAt } from '../../status/testing.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'

const hourMs = 3_600_000
const minuteMs = 60_000

/** The same database without ClickHouse. */
let account: TestAccount
let nowMs: number

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
const without = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  account = await at.account('scale')
  nowMs = at.now()
})

type Seeded = {
  name: string
  status?: string
  type?: string
  paused?: boolean
  /** When it was measured in each region, before now. */
  measured?: Record<string, { verdict: 'up' | 'down' | 'blocked'; agoMs: number; latencyMs?: number }>
  tags?: string[]
  /** [hours ago, status] */
  flips?: [number, string][]
}

const seed = async (
  app: TestApp,
  accountId: string,
  {
    name,
    status = 'operational',
    type = 'http',
    paused = false,
    measured = {},
    tags = [],
    flips = [],
  }: Seeded,
): Promise<string> => {
  const id = uuidv7(nowMs)
  const regions = Object.keys(measured)
  const states = Object.fromEntries(
    Object.entries(measured).map(([region, { verdict, agoMs, latencyMs = 12 }]) => [
      region,
      { ...newRegionState, verdict, measuredAt: nowMs - agoMs, latencyMs },
    ]),
  )
  const created = new Date(nowMs - 40 * 24 * hourMs)
  const last = flips.at(-1)
  await app.sql`
    insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions, paused,
      config, tags, valid_from, created_at, updated_at)
    values (${id}, ${accountId}, ${type}, ${name}, ${`https://${name}.example.org/`}, 60,
      ${regions.length === 0 ? ['fra'] : regions}, false, ${paused}, ${app.sql.json({ type })}, ${tags},
      ${created}, ${created}, ${created})`
  await app.sql`
    insert into check_states (check_id, partition, status, status_since, version, regions)
    values (${id}, 1, ${status}, ${last === undefined ? null : new Date(nowMs - last[0] * hourMs)},
      ${flips.length}, ${app.sql.json(states as never)})`
  for (const [index, [hoursAgo, to]] of flips.entries()) {
    await app.sql`
      insert into flips (id, check_id, version, from_status, to_status, at)
      values (${uuidv7(nowMs)}, ${id}, ${index + 1}, ${flips[index - 1]?.[1] ?? 'unknown'}, ${to},
        ${new Date(nowMs - hoursAgo * hourMs)})`
  }
  return id
}

const fresh = (verdict: 'up' | 'down') => ({ verdict, agoMs: 5_000 })
const list = async (query: string, app = at, key = account.readKey): Promise<CheckRows> => {
  const answer = await app.call('GET', `/v1/checks?include=state${query}`, { key })
  expect(answer.status, answer.text).toBe(200)
  return CheckRows.parse(answer.json)
}
const rowOf = ({ checks }: CheckRows, id: string): CheckRow => {
  const row = checks.find((one) => one.id === id)
  if (row === undefined) throw new Error('the list does not have the check')
  return row
}

describe('a list with state', () => {
  let shop: string
  let paused: string
  let backup: string

  beforeAll(async () => {
    shop = await seed(at, account.id, {
      name: 'shop',
      status: 'down',
      measured: { fra: { ...fresh('down'), latencyMs: 31 }, nrt: fresh('up') },
      flips: [
        [30 * 24, 'operational'],
        [2, 'down'],
      ],
    })
    paused = await seed(at, account.id, { name: 'paused', paused: true, flips: [[50, 'operational']] })
    await at.sql`
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused)
      values (${paused}, 1, ${new Date(nowMs - 6 * hourMs)}, '{fra}', 60, true)`
    const client = connectClickHouse(clickhouse.url)
    const readings = Array.from({ length: 20 }, (_, n) =>
      readingAt('fra', n === 0 ? 'down' : 'up', nowMs - 2 * hourMs - n * minuteMs, {
        checkId: shop,
        latencyMs: n + 1,
      }),
    )
    await insertReadings(
      client,
      readings.map((reading) => ({
        reading,
        agent: 'fra-1',
        receivedAtMs: nowMs,
        rawDays: 30,
        hourDays: 400,
      })),
      crypto.randomUUID(),
    )
    await client.close()
    const user = await loggedIn(at)
    const made = await asUser(at, user, 'POST', '/typed-checks', {
      type: 'heartbeat',
      name: 'backup',
      settings: { periodSeconds: 600, graceSeconds: 60 },
    })
    backup = made.json.id
    await at.sql`update checks set account_id = ${account.id} where id = ${backup}`
  })

  test('agrees with the answers about each check', async () => {
    const rows = await list('')
    expect(rows.checks.map(({ id }) => id)).toEqual([shop, backup, paused])
    for (const row of rows.checks) {
      const { json: detail } = await at.call('GET', `/v1/checks/${row.id}`, { key: account.readKey })
      const { p50Ms: _50, p95Ms: _95, maintenance: _m, trend: _t, uptime, measuredShare, ...same } = row
      expect(detail).toMatchObject(same)
      expect(uptime.day ?? 1).toBeCloseTo(detail.uptime.day ?? 1, 3)
      expect(uptime.month ?? 1).toBeCloseTo(detail.uptime.month ?? 1, 3)
      expect(measuredShare.month).toBeCloseTo(detail.measuredShare.month, 3)
    }
  })

  test('has latency of the last day, and a trend that ends now', async () => {
    const rows = await list('')
    expect(rows).toMatchObject({ latencyRead: true, nextCursor: null, trendStepSeconds: 1_800 })
    const row = rowOf(rows, shop)
    expect(row.p50Ms).toBeCloseTo(11, 0)
    expect(row.p95Ms).toBeGreaterThan(18)
    expect(row.trend).toHaveLength(48)
    expect([row.trend[0], row.trend.at(-1)]).toEqual(['operational', 'down'])
    const ended = Date.parse(rows.trendFrom) + 48 * 1_800_000
    expect(ended).toBeGreaterThan(Date.parse(rows.at))
    expect(ended - Date.parse(rows.at)).toBeLessThanOrEqual(1_800_000)
    const { trend } = rowOf(rows, paused)
    expect(trend.slice(-10)).toEqual(Array.from({ length: 10 }, () => 'no_data'))
    expect(rowOf(rows, backup)).toMatchObject({
      statusReason: 'no ping yet',
      measuredAt: null,
      regionStatuses: [],
      uptime: { day: null, month: null },
    })
  })

  test('says that a check is under maintenance while a window covers it', async () => {
    expect(rowOf(await list(''), shop).maintenance).toBe(false)
    const page = await at.sql<{ id: string }[]>`
      insert into status_pages (id, account_id, name, slug, theme_preset, font, locale, created_at, updated_at)
      values (${uuidv7(nowMs)}, ${account.id}, 'page', ${crypto.randomUUID()}, 'system', 'system', 'en', now(),
        now()) returning id`
    const pageId = page[0]?.id ?? ''
    await at.sql`
      insert into components (id, account_id, status_page_id, check_id, display_name, created_at, updated_at)
      values (${uuidv7(nowMs)}, ${account.id}, ${pageId}, ${shop}, 'Shop', now(), now())`
    await at.sql`
      insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at,
        whole_page, created_at)
      values (${uuidv7(nowMs)}, ${account.id}, ${pageId}, 'Upgrade', 'We upgrade.',
        ${new Date(nowMs - hourMs)}, ${new Date(nowMs + hourMs)}, true, now())`
    const rows = await list('')
    expect([rowOf(rows, shop).maintenance, rowOf(rows, paused).maintenance]).toEqual([true, false])
  })

  test('is the same on the dashboard, with numbered pages and counts', async () => {
    const user = await loggedIn(at)
    await at.sql`update checks set account_id = ${user.accountId} where id = ${backup}`
    const answer = await asUser(at, user, 'GET', '/check-list?sort=name')
    const part = CheckPart.parse(answer.json)
    expect(part).toMatchObject({ number: 1, total: 1, counts: { unknown: 1 }, latencyRead: true })
    expect(part.checks[0]).toMatchObject({ id: backup, trend: expect.any(Array), maintenance: false })
  })
})

test('without ClickHouse, the list has everything but latency, and says so', async () => {
  const own = await without.account('scale')
  await seed(without, own.id, {
    name: 'shop',
    measured: { fra: fresh('up') },
    flips: [[3, 'operational']],
  })
  const rows = await list('', without, own.readKey)
  expect(rows.latencyRead).toBe(false)
  expect(rows.checks).toMatchObject([{ p50Ms: null, p95Ms: null, uptime: { day: 1, month: 1 } }])
  expect(rows.checks[0]?.trend.at(-1)).toBe('operational')
})

test('a ClickHouse that accepts and never answers does not hold the list up', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const app = await startTestApp({ clickhouseUrl: `http://u:p@127.0.0.1:${port}/none` })
  const own = await app.account('scale')
  await seed(app, own.id, { name: 'shop', measured: { fra: fresh('up') } })
  expect(await list('', app, own.readKey)).toMatchObject({ latencyRead: false, checks: [{ name: 'shop' }] })
  silent.close()
  await app.close()
})

test('the list without parameters has every check and no more', async () => {
  const plain = await at.call('GET', '/v1/checks', { key: account.readKey })
  expect(Object.keys(plain.json)).toEqual(['checks'])
})

describe('pages', () => {
  let many: TestAccount

  beforeAll(async () => {
    many = await at.account('scale')
    const names = ['b', 'A', 'ä', 'b', 'c%', 'a']
    for (const [index, name] of names.entries()) {
      const isDown = index % 2 === 0
      await seed(at, many.id, {
        name,
        status: isDown ? 'down' : 'operational',
        measured: { fra: fresh(isDown ? 'down' : 'up') },
        tags: [...(index < 3 ? ['Team:Shop'] : ['Ärzte']), `n${index}`],
        flips: [[index + 1, isDown ? 'down' : 'operational']],
      })
    }
  })

  const walk = async (query: string): Promise<string[]> => {
    const names: string[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null; page++) {
      expect(page).toBeLessThan(10)
      const next: string = cursor === '' ? '' : `&cursor=${cursor}`
      const rows: CheckRows = await list(`&limit=2${query}${next}`, at, many.readKey)
      names.push(...rows.checks.map(({ name }) => name))
      cursor = rows.nextCursor
    }
    return names
  }

  test.each([
    ['', ['b', 'c%', 'ä', 'A', 'a', 'b']],
    ['&sort=status', ['b', 'c%', 'ä', 'A', 'a', 'b']],
    ['&sort=name', ['A', 'a', 'b', 'b', 'c%', 'ä']],
    ['&sort=-name', ['ä', 'c%', 'b', 'b', 'a', 'A']],
    ['&sort=changed', ['b', 'A', 'ä', 'b', 'c%', 'a']],
    ['&status=down&sort=name', ['b', 'c%', 'ä']],
    ['&name=A&sort=name', ['A', 'a']],
    ['&name=%25&sort=name', ['c%']],
    ['&type=tcp', []],
    ['&tag=team:shop&sort=name', ['A', 'b', 'ä']],
    ['&tag=%C3%A4rzte&status=down', ['c%']],
    ['&tag=team', []],
    ['&tag=n4&sort=name', ['c%']],
    ['&type=http&status=operational&sort=-name', ['b', 'a', 'A']],
  ])('with "%s" have each matching check once, in order', async (query, names) => {
    expect(await walk(query)).toEqual(names)
  })

  test('by time of creation are the plain list, and its reverse', async () => {
    const plain = await at.call('GET', '/v1/checks', { key: many.readKey })
    const names = plain.json.checks.map(({ name }: { name: string }) => name).toSorted()
    expect((await walk('&sort=created')).toSorted()).toEqual(names)
    expect(await walk('&sort=-created')).toEqual((await walk('&sort=created')).toReversed())
  })

  test('without include have the same filters and cursors, and no state', async () => {
    const plain = async (query: string) => {
      const { json } = await at.call('GET', `/v1/checks?${query}`, { key: many.readKey })
      return { ...json, names: json.checks.map(({ name }: { name: string }) => name) }
    }
    expect(await plain('status=down&sort=name')).toMatchObject({ names: ['b', 'c%', 'ä'], nextCursor: null })
    const first = await plain('sort=name&limit=4')
    const second = await plain(`sort=name&limit=4&cursor=${first.nextCursor}`)
    expect([...first.names, ...second.names]).toEqual(['A', 'a', 'b', 'b', 'c%', 'ä'])
    expect(second.nextCursor).toBeNull()
    const { json } = await at.call('GET', '/v1/checks', { key: many.readKey })
    const byId = (checks: { id: string }[]) => checks.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId((await plain('type=http')).checks)).toEqual(byId(json.checks))
  })

  test.each([
    ['cursor=x', 'cursor'],
    ['cursor=WyJzdGF0dXMiXQ', 'cursor'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['status=fine', 'status'],
    ['sort=p95', 'sort'],
    ['type=ftp', 'type'],
    ['tag=%2C', 'tag'],
  ])('refuse "%s"', async (query, path) => {
    const answer = await at.call('GET', `/v1/checks?include=state&${query}`, { key: many.readKey })
    expect(answer).toMatchObject({ status: 422, json: { code: 'SV-2001', errors: [{ path }] } })
  })

  test('refuse a parameter that they do not know, and a cursor of another sort', async () => {
    const unknown = await at.call('GET', '/v1/checks?include=state&stat=down', { key: many.readKey })
    expect(unknown).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect(await at.call('GET', '/v1/checks?stat=down', { key: many.readKey })).toMatchObject({ status: 422 })
    const { nextCursor } = await list('&limit=2&sort=name', at, many.readKey)
    const other = await at.call('GET', `/v1/checks?include=state&sort=created&cursor=${nextCursor}`, {
      key: many.readKey,
    })
    expect(other).toMatchObject({ status: 422, json: { errors: [{ path: 'cursor' }] } })
  })

  test('have no check of another account, even with its cursor', async () => {
    const stranger = await at.account('scale')
    const { nextCursor } = await list('&limit=2&sort=name', at, many.readKey)
    const rows = await list(`&sort=name&cursor=${nextCursor}`, at, stranger.readKey)
    expect(rows.checks).toEqual([])
  })
})
