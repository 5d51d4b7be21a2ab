import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connectClickHouseCluster } from '../../stores/clickhouse/cluster.ts'
import { connectNode, type ClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { shardOf, type ClickHouseNode } from '../../stores/clickhouse/shard.ts'
import { openBatches, recordBatch } from './ingest-batches-store.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { useIngest } from './testing/use-ingest.ts'

const ingest = useIngest()
const { publish, allDone } = ingest
let second: Awaited<ReturnType<typeof createTestClickHouse>>
let nodes: ClickHouseNode[]
let cluster: ClickHouse
beforeAll(async () => {
  second = await createTestClickHouse()
  const urls = [ingest.url(), second.url]
  nodes = urls.map((url) => connectNode(url))
  cluster = clusterOf(urls)
})
afterAll(async () => {
  await Promise.all([cluster.close(), ...nodes.map((node) => node.close())])
})

/** One replica per shard, with all its rows: nothing is replicated here. */
const clusterOf = (urls: string[]): ClickHouse => {
  const connected = connectClickHouseCluster({ name: 'mesh', shards: urls.map((url) => [url]) })
  return {
    ...connected,
    shards: connected.shards.map(({ use }) => ({ use, useCurrent: (_, act) => use(act) })),
  }
}

/** A check of each shard, in one partition. */
let checks: string[]
beforeEach(async () => {
  const first = ingest.checkId
  let other: string
  do other = await insertTestCheck(ingest.sql, { regions: ['fra'] })
  while (partitionOf(other) !== partitionOf(first) || shardOf(other, 2) === shardOf(first, 2))
  checks = shardOf(first, 2) === 0 ? [first, other] : [other, first]
})
const start = () => ingest.start({ clickhouse: cluster })
const reading = (shard: 0 | 1, k: number, more: Partial<Reading> = {}): Reading =>
  ingest.reading(k, { checkId: checks[shard] ?? '', ...more })
/** For each shard: the raw rows, and the counts of both rollups. */
const stored = async (): Promise<unknown> =>
  Promise.all(
    nodes.map(async (node) => {
      const [raw, , ...counts] = await ingest.stored(node, checks)
      return [raw, ...counts]
    }),
  )

test('stores each reading on its shard once, even when it comes again after a restart', async () => {
  const first = await start()
  await allDone(await publish([reading(0, 1), reading(1, 1), reading(1, 2)]))
  await first.close()
  const { metric } = await start()
  await allDone(await publish([reading(1, 1), reading(0, 1), reading(0, 2)]))
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
    const { metric } = await start()
    await publish([reading(0, 1), reading(1, 1)])
    await publish([reading(0, 2), reading(1, 2, { fault: 'network' })])
    await allDone(await publish([reading(0, 3), reading(1, 3)]))
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
  await ingest.bus.persisted.watch('fra', 'fra-1', marks)
  let last: number
  try {
    const { metric } = await start()
    last = await publish([reading(0, 1), reading(1, 1)])
    await vi.waitFor(async () => expect(await metric('ingest_retries_total')).toBeGreaterThan(1))
    expect(marks).not.toHaveBeenCalled()
  } finally {
    await nodes[1]?.command({ query: 'rename table readings_away to readings_raw' })
  }
  await allDone(last)
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
  const small = clusterOf([ingest.url()])
  const last = await publish([reading(0, 1), reading(1, 1)])
  const token = uuidv7(Date.now())
  const ranges = [{ partition: partitionOf(ingest.checkId), first: 1, last: 1, count: 1 }]
  await recordBatch(ingest.sql, { token, createdAtMs: Date.now(), ranges, dropped: [] }, [], [])
  await insertReadings(small, rows, token)
  await small.close()
  await start()
  await allDone(last)
  expect(await openBatches(ingest.sql)).toEqual([])
  expect(await stored()).toEqual([
    [2, 2, 2],
    [0, 0, 0],
  ])
})
