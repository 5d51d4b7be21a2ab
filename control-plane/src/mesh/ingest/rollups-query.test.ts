import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import {
  countInRollup,
  rebuildRollup,
  nameOf,
  rollupDifferences,
  rollupKeyOf,
  type Rollup,
} from './rollups-query.ts'
import { seriesOf } from '../../readings/series-query.ts'

const clickhouse = useClickHouse()

const hourMs = 3_600_000
const t0 = Math.floor(Date.now() / hourMs) * hourMs - 5 * hourMs
const insert = async (readings: readonly ReturnType<typeof readingAt>[]) => {
  const facts = { agent: 'fra-1', receivedAtMs: Date.now(), rawDays: 30, hourDays: 90 }
  const rows = readings.map((reading) => ({ reading, ...facts }))
  await insertReadings(clickhouse, rows, uuidv7(Date.now()))
}
const remove = async (table: string, checkId: string) =>
  await clickhouse.command({
    query: `delete from ${table} where check_id = {checkId:UUID}`,
    query_params: { checkId },
  })

const keysOf = (rollup: Rollup, readings: readonly ReturnType<typeof readingAt>[]) => [
  ...new Map(
    readings.map((reading) => rollupKeyOf(rollup, reading)).map((key) => [nameOf(key), key]),
  ).values(),
]
const none = { up: 0, down: 0, blocked: 0, unmeasured: 0 }

test.each<[Rollup, number]>([
  ['readings_minute', 60],
  ['readings_hour', 3_600],
])('%s repaired is what its view wrote, counts and percentiles', async (rollup, stepSeconds) => {
  const checkId = uuidv7(Date.now())
  const readings = Array.from({ length: 500 }, (_, k) => ({
    ...readingAt(k % 2 === 0 ? 'fra' : 'iad', k % 7 === 0 ? 'down' : 'up', t0 + k * 10_000),
    latencyMs: k % 11 === 0 ? null : k,
    checkId,
  }))
  await insert(readings)
  const written = () => seriesOf(clickhouse, { checkId, fromMs: t0, toMs: t0 + 2 * hourMs, stepSeconds })
  const [before, keys] = [await written(), keysOf(rollup, readings)]
  expect(await rollupDifferences(clickhouse, rollup, keys)).toEqual([])
  await remove(rollup, checkId)
  expect((await written()).points).toEqual([])
  expect(await rollupDifferences(clickhouse, rollup, keys)).toHaveLength(keys.length)
  await countInRollup(clickhouse, rollup, readings)
  expect(await written()).toEqual(before)
  await rebuildRollup(clickhouse, rollup, keys)
  expect(await written()).toEqual(before)
})

test('reports missing and excess readings of a key, and repairs only the given keys', async () => {
  const [checkId, other] = [uuidv7(Date.now()), uuidv7(Date.now())]
  const readings = [0, 1, 2].map((k) => ({ ...readingAt('fra', 'up', t0 + k * 60_000), checkId }))
  const ofOther = { ...readingAt('fra', 'down', t0), checkId: other }
  await insert([...readings, ofOther])
  await insert([{ ...readingAt('fra', 'blocked', t0 + 1), checkId }])
  await remove('readings_raw', checkId)
  await insert(readings.slice(1).map((reading) => ({ ...reading, slot: reading.slot + 1 })))
  await remove('readings_minute', other)
  const at = t0 / 1_000
  const keys = keysOf('readings_minute', [...readings, ofOther])
  const differences = await rollupDifferences(clickhouse, 'readings_minute', keys)
  expect(differences.toSorted((a, b) => a.at - b.at || a.up - b.up)).toEqual([
    { checkId, region: 'fra', at, ...none, up: -1, blocked: -1 },
    { checkId: other, region: 'fra', at, ...none, down: 1 },
    { checkId, region: 'fra', at: at + 60, ...none, up: -1 },
    { checkId, region: 'fra', at: at + 120, ...none, up: -1 },
  ])
  await rebuildRollup(clickhouse, 'readings_minute', keysOf('readings_minute', readings))
  expect(await rollupDifferences(clickhouse, 'readings_minute', keys)).toEqual([
    { checkId: other, region: 'fra', at, ...none, down: 1 },
  ])
})

test('compares, counts and rebuilds thousands of keys', { timeout: 120_000 }, async () => {
  const readings = Array.from({ length: 5_000 }, (_, k) => ({
    ...readingAt('fra', 'up', t0 + (k % 240) * 60_000),
    checkId: uuidv7(Date.now()),
  }))
  await insert(readings)
  const keys = keysOf('readings_minute', readings)
  await clickhouse.command({
    query: `delete from readings_minute where toMinute(at) % 2 = 0 and at >= toDateTime(${t0 / 1_000}, 'UTC')`,
  })
  const differences = () => rollupDifferences(clickhouse, 'readings_minute', keys)
  expect(await differences()).toHaveLength(2_500)
  await countInRollup(clickhouse, 'readings_minute', readings)
  expect(await differences()).toHaveLength(2_500)
  await rebuildRollup(clickhouse, 'readings_minute', keys)
  expect(await differences()).toEqual([])
})
