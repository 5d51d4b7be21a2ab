import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { startProxy } from '@probe-mesh/infra/testing/proxy'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { connectClickHouseCluster } from './cluster.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { clickhouseMigrations, migrationText } from './migrate.ts'
import { clusterStatement, statementsOf } from './schema.ts'

const store = useTestClickHouse()
const clickhouse = store.use()
let views: string[]
beforeAll(async () => {
  const texts = await Promise.all((await clickhouseMigrations()).map(migrationText))
  views = texts.flatMap(statementsOf).filter((text) => text.includes('create materialized view'))
})

const place = { cluster: 'mesh', database: 'mesh' }
const viewNames = ['readings_minute_view', 'readings_hour_view']
/** The views like those of every replica of a cluster. */
const makeViews = async (): Promise<void> => {
  for (const view of viewNames) {
    await clickhouse.command({ query: `drop table if exists ${view} sync` })
  }
  for (const view of views) {
    await clickhouse.command({ query: clusterStatement(view, place) })
  }
}

const at = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000
let checkId: string
beforeEach(() => {
  checkId = uuidv7(Date.now())
})
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    reading: { ...readingAt('fra', 'up', at + n * 20_000), checkId },
    agent: 'fra-1',
    receivedAtMs: Date.now(),
    rawDays: 30,
    hourDays: 90,
  }))
const stored = async (): Promise<unknown> => {
  const of = `where check_id = '${checkId}'`
  const result = await clickhouse.query({
    query: `
      select (select count() from readings_raw ${of}) as raw,
        (select sum(up) from readings_minute ${of}) as minute,
        (select sum(up) from readings_hour ${of}) as hour`,
    format: 'JSONEachRow',
  })
  return (await result.json())[0]
}

test('counts a batch once that is sent again to a replica with the same views', async () => {
  await makeViews()
  const [rows, token] = [rowsOf(9), uuidv7(Date.now())]
  await insertReadings(clickhouse, rows, token)
  await makeViews()
  await insertReadings(clickhouse, rows, token)
  expect(await stored()).toEqual({ raw: 9, minute: 9, hour: 9 })
})

test('a batch that is sent again fills the rollups that its first attempt did not reach', async () => {
  const [rows, token] = [rowsOf(9), uuidv7(Date.now())]
  for (const view of viewNames) await clickhouse.command({ query: `detach table ${view}` })
  await insertReadings(clickhouse, rows, token)
  for (const view of viewNames) await clickhouse.command({ query: `attach table ${view}` })
  expect(await stored()).toEqual({ raw: 9, minute: 0, hour: 0 })
  await insertReadings(clickhouse, rows, token)
  await insertReadings(clickhouse, rows, token)
  expect(await stored()).toEqual({ raw: 9, minute: 9, hour: 9 })
})

test('the second replica stores a batch under its token after the first is gone, and it counts once', async () => {
  const direct = new URL(store.url)
  const proxy = await startProxy(Number(direct.port))
  const [first, second] = [new URL(store.url), direct]
  first.port = String(proxy.port)
  // two databases of one server share its log of tokens, like replicas share it in Keeper
  const cluster = connectClickHouseCluster({ name: 'mesh', shards: [[first.href, second.href]] })
  try {
    const [rows, token] = [rowsOf(9), uuidv7(Date.now())]
    await insertReadings(cluster, rows, token)
    proxy.refuse()
    await insertReadings(cluster, rows, token)
    expect(await stored()).toEqual({ raw: 9, minute: 9, hour: 9 })
    await insertReadings(cluster, rowsOf(1), uuidv7(Date.now()))
    expect(await stored()).toEqual({ raw: 10, minute: 10, hour: 10 })
  } finally {
    await cluster.close()
    await proxy.close()
  }
})
