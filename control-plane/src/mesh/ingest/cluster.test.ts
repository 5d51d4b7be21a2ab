import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouseCluster } from '../../stores/clickhouse/cluster.ts'
import { connectNode } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { shardOf } from '../../stores/clickhouse/shard.ts'
import type { ClickHouseNode } from '../../stores/clickhouse/shard.ts'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { openBatches, recordBatch } from './ingest-batches-store.ts'
import { insertTestCheck, acquireTestLeases } from '../../stores/postgres/testing.ts'
import { decodeMessage } from '../../readings/decode.ts'
import { readingAt } from '../../status/testing.ts'
import { createDirectory } from './directory.ts'
import { startIngester } from './ingester.ts'
import type { Ingester } from './ingester.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let stores: Awaited<ReturnType<typeof createTestClickHouse>>[]
let sql: Sql
let nodes: ClickHouseNode[]
let cluster: ClickHouse
beforeAll(async () => {
  database = await createTestDatabase()
  stores = [await createTestClickHouse(), await createTestClickHouse()]
  sql = connectPostgres(database.url)
  nodes = stores.map(({ url }) => connectNode(url))
  cluster = clusterOf(stores.map(({ url }) => url))
})
afterAll(async () => {
  await Promise.all([sql.end(), cluster.close(), ...nodes.map((node) => node.close())])
  await Promise.all([database.close(), ...stores.map((store) => store.close())])
})

/** One replica per shard, with all its rows: nothing is replicated here. */
const clusterOf = (urls: string[]): ClickHouse => {
  const connected = connectClickHouseCluster({ name: 'mesh', shards: urls.map((url) => [url]) })
  return {
    ...connected,
    shards: connected.shards.map(({ use }) => ({ use, useCurrent: (_, act) => use(act) })),
  }
}

let folder: string
let bus: Bus
let ingester: Ingester
let registry: Registry
/** A check of each shard, and the partition that carries both. */
let checks: [string, string]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ingest-cluster-'))
  bus = await openInProcessBus({ directory: folder })
  const first = await insertTestCheck(sql, { regions: ['fra'] })
  const partition = partitionOf(first)
  for (;;) {
    const other = await insertTestCheck(sql, { regions: ['fra'] })
    if (partitionOf(other) !== partition || shardOf(other, 2) === shardOf(first, 2)) continue
    checks = shardOf(first, 2) === 0 ? [first, other] : [other, first]
    return
  }
})
afterEach(async () => {
  await ingester.close()
  await bus.close()
  await rm(folder, { recursive: true })
})

const start = async (store: ClickHouse = cluster): Promise<void> => {
  registry = new Registry()
  ingester = startIngester({
    sql,
    clickhouse: store,
    bus,
    directory: createDirectory({ sql, tiers: tiersDefault, now: Date.now }),
    registry,
    decode: decodeMessage,
    log: pino({ level: 'silent' }),
    now: Date.now,
    onStored: () => {},
  })
  for (const lease of await acquireTestLeases(sql)) ingester.take(lease)
}
let batch = 0
const publish = async (readings: readonly Reading[]): Promise<number> => {
  batch += 1
  const partition = partitionOf(checks[0])
  const message = { version: 1, agent: 'fra-1', region: 'fra', partition, batch, readings }
  const data = new TextEncoder().encode(JSON.stringify(message))
  await bus.readings.publish({ partition, region: 'fra', messageId: `${batch}`, data })
  return batch
}
const t0 = Date.now() - 3_600_000
const reading = (shard: 0 | 1, k: number, more: Partial<Reading> = {}): Reading => ({
  ...readingAt('fra', 'up', t0 + k * 60_000),
  checkId: checks[shard],
  ...more,
})
/** For each shard: the raw rows, and the counts of both rollups. */
const stored = async (): Promise<unknown> =>
  await Promise.all(
    nodes.map(async (node) => {
      const of = 'where check_id in {checks:Array(UUID)}'
      const result = await node.query({
        query: `
          select (select count() from readings_raw ${of}) as raw,
            (select sum(up + down) from readings_minute ${of}) as minute,
            (select sum(up + down) from readings_hour ${of}) as hour`,
        query_params: { checks },
        format: 'JSONEachRow',
      })
      return Object.values((await result.json<Record<string, number>>())[0] ?? {})
    }),
  )
const done = async (through: number): Promise<void> => {
  const marked = Promise.withResolvers<void>()
  const watch = await bus.persisted.watch('fra', 'fra-1', (_, last) => {
    if (last >= through) marked.resolve()
  })
  await marked.promise
  await watch.close()
  const consumer = await bus.readings.consume(partitionOf(checks[0]), 'ingest')
  await vi.waitFor(async () => expect((await consumer.lag()).messages).toBe(0))
  await consumer.close()
}
const metric = async (name: string): Promise<number> => {
  const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] }
  return values.reduce((sum, { value }) => sum + value, 0)
}

test('stores each reading on its shard once, even when it comes again after a restart', async () => {
  await start()
  await done(await publish([reading(0, 1), reading(1, 1), reading(1, 2)]))
  await ingester.close()
  await start()
  await done(await publish([reading(1, 1), reading(0, 1), reading(0, 2)]))
  expect(await stored()).toEqual([
    [2, 2, 2],
    [2, 2, 2],
  ])
  expect(await metric('ingest_readings_dropped_total')).toBe(2)
})

test('a shard that refuses a reading does not affect the other shard, and nothing is stored twice', async () => {
  await nodes[1]?.command({
    query: `alter table readings_raw modify column fault Enum8('none' = 0, 'target' = 1)`,
  })
  try {
    await start()
    await publish([reading(0, 1), reading(1, 1)])
    await publish([reading(0, 2), reading(1, 2, { fault: 'network' })])
    await done(await publish([reading(0, 3), reading(1, 3)]))
    expect(await stored()).toEqual([
      [3, 3, 3],
      [2, 2, 2],
    ])
    expect(await metric('ingest_poison_total')).toBe(1)
  } finally {
    await nodes[1]?.command({
      query: `alter table readings_raw modify column fault
        Enum8('none' = 0, 'target' = 1, 'network' = 2, 'probe' = 3)`,
    })
  }
})

test('marks nothing while a shard is unavailable, and stores each reading once when it is back', async () => {
  await nodes[1]?.command({ query: 'rename table readings_raw to readings_away' })
  const marks = vi.fn<() => void>()
  await bus.persisted.watch('fra', 'fra-1', marks)
  try {
    await start()
    await publish([reading(0, 1), reading(1, 1)])
    await vi.waitFor(async () => expect(await metric('ingest_retries_total')).toBeGreaterThan(1))
    expect(marks).not.toHaveBeenCalled()
  } finally {
    await nodes[1]?.command({ query: 'rename table readings_away to readings_raw' })
  }
  await done(batch)
  expect(await stored()).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ])
})

test('finishes a half-stored batch on its old shard after a shard is added', async () => {
  const rows = [reading(0, 1), reading(1, 1)].map((one) => ({
    reading: one,
    agent: 'fra-1',
    receivedAtMs: Date.now(),
    rawDays: 30,
    hourDays: 90,
  }))
  const small = clusterOf([stores[0]?.url ?? ''])
  const last = await publish([reading(0, 1), reading(1, 1)])
  const token = uuidv7(Date.now())
  const ranges = [{ partition: partitionOf(checks[0]), first: 1, last: 1, count: 1 }]
  await recordBatch(sql, { token, createdAtMs: Date.now(), ranges, dropped: [] }, [], [])
  await insertReadings(small, rows, token)
  await small.close()
  await start()
  await done(last)
  expect(await openBatches(sql)).toEqual([])
  expect(await stored()).toEqual([
    [2, 2, 2],
    [0, 0, 0],
  ])
})
