import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { purgeReadings } from '../../readings/change-retention.ts'
import { storedReadingIds } from '../../mesh/ingest/stored-readings-query.ts'

const clickhouse = useClickHouse()

const dayMs = 86_400_000
const tables = ['readings_raw', 'readings_minute', 'readings_hour'] as const

const insert = async (checkId: string, ageDays: readonly number[], rawDays: number) => {
  const rows = ageDays.map((age) => ({
    reading: { ...readingAt('fra', 'up', Date.now() - age * dayMs), checkId },
    agent: 'fra-1',
    receivedAtMs: Date.now(),
    rawDays,
    hourDays: 30,
  }))
  await insertReadings(clickhouse, rows, uuidv7(Date.now()))
}
const counts = async (checkId: string): Promise<number[]> =>
  await Promise.all(
    tables.map(async (table) => {
      await clickhouse.command({ query: `optimize table ${table} final` })
      const result = await clickhouse.query({
        query: `select count() as count from ${table} where check_id = {checkId:UUID}`,
        query_params: { checkId },
        format: 'JSONEachRow',
      })
      const [row] = await result.json<{ count: number }>()
      return row?.count ?? 0
    }),
  )

test('keeps readings for the retention of the tier, and their hours longer', async () => {
  const [short, long] = [uuidv7(Date.now()), uuidv7(Date.now())]
  await insert(short, [0, 2, 20, 40], 1)
  await insert(long, [0, 2, 20, 40], 25)
  expect(await counts(short)).toEqual([1, 1, 3])
  expect(await counts(long)).toEqual([3, 3, 3])
})

test('a purge removes one check from the raw table and every rollup, and no other check', async () => {
  const [gone, kept] = [uuidv7(Date.now()), uuidv7(Date.now())]
  await insert(gone, [0, 1], 30)
  await insert(kept, [0, 1], 30)
  await purgeReadings(clickhouse, [gone])
  expect(await counts(gone)).toEqual([0, 0, 0])
  expect(await counts(kept)).toEqual([2, 2, 2])
})

test('looks up thousands of readings at once', async () => {
  const checkIds = Array.from({ length: 3_000 }, () => uuidv7(Date.now()))
  const at = Date.now()
  const identities = checkIds.map((checkId) => ({
    checkId,
    region: 'fra',
    slot: at,
    kind: 'scheduled' as const,
    number: 0,
  }))
  const stored = identities.filter((_, index) => index % 3 === 0)
  const rows = stored.map((identity) => ({
    reading: { ...readingAt('fra', 'up', at), ...identity },
    agent: 'fra-1',
    receivedAtMs: at,
    rawDays: 30,
    hourDays: 30,
  }))
  await insertReadings(clickhouse, rows, uuidv7(at))
  const found = await storedReadingIds(clickhouse, identities)
  expect(found).toEqual(new Set(stored.map(({ checkId, slot }) => `${checkId}:fra:${slot}`)))
})
