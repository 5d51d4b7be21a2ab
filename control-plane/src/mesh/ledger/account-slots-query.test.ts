import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { latenessOf, storedHoursOf, storedSlotsOf } from './account-slots-query.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'

test('stored slots and lateness cover the requested checks and time', async () => {
  const store = await createTestClickHouse()
  const clickhouse = connectClickHouse(store.url)
  const fromMs = Math.floor(Date.now() / 60_000) * 60_000 - 600_000
  const [checkId, other] = [uuidv7(fromMs), uuidv7(fromMs)]
  const row = (id: string, verdict: 'up' | 'unmeasured', slot: number) => ({
    reading: {
      ...readingAt('fra', verdict, slot),
      checkId: id,
      slot,
      measuredAt: slot,
      lateMs: 40,
    },
    agent: 'fra-1',
    receivedAtMs: slot + 250,
    rawDays: 7,
    hourDays: 30,
  })
  const rows = [
    row(checkId, 'up', fromMs),
    row(checkId, 'unmeasured', fromMs + 60_000),
    row(checkId, 'up', fromMs + 300_000),
    row(checkId, 'up', fromMs - 1),
    row(other, 'up', fromMs),
  ]
  await insertReadings(clickhouse, rows, 'account-slots')
  const asked = { checkIds: [checkId], fromMs, toMs: fromMs + 300_000 }
  const signal = AbortSignal.timeout(10_000)
  const stored = await storedSlotsOf(clickhouse, asked, signal)
  const lateness = await latenessOf(clickhouse, asked, signal)
  await clickhouse.close()
  await store.close()
  expect(stored).toEqual([{ checkId, region: 'fra', measured: 1, unmeasured: 1 }])
  expect(lateness).toEqual([
    {
      region: 'fra',
      readings: 2,
      beganP95Ms: 40,
      beganMaxMs: 40,
      arrivedP95Ms: 250,
      arrivedMaxMs: 250,
    },
  ])
})

test('stored hours join whole hours with the minutes of the newest one, up to the settled minute', async () => {
  const store = await createTestClickHouse()
  const clickhouse = connectClickHouse(store.url)
  const newestMs = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const fromMs = newestMs - 23 * 3_600_000
  const toMs = newestMs + 120_000
  const [checkId, other] = [uuidv7(fromMs), uuidv7(fromMs)]
  const row = (id: string, verdict: 'up' | 'unmeasured', slot: number) => ({
    reading: { ...readingAt('fra', verdict, slot), checkId: id, slot, measuredAt: slot },
    agent: 'fra-1',
    receivedAtMs: slot + 250,
    rawDays: 7,
    hourDays: 30,
  })
  const rows = [
    row(checkId, 'up', fromMs - 1),
    row(checkId, 'up', fromMs),
    row(checkId, 'unmeasured', fromMs + 60_000),
    row(checkId, 'up', newestMs - 1),
    row(checkId, 'up', newestMs),
    row(checkId, 'up', toMs),
    row(other, 'up', newestMs),
  ]
  await insertReadings(clickhouse, rows, 'account-hours')
  const asked = { checkIds: [checkId], fromMs, newestMs, toMs }
  const stored = await storedHoursOf(clickhouse, asked, AbortSignal.timeout(10_000))
  await clickhouse.close()
  await store.close()
  const hours = (counts: Record<number, number>) => Object.assign([], counts)
  expect(stored).toEqual([
    {
      checkId,
      region: 'fra',
      measured: hours({ 0: 1, 22: 1, 23: 1 }),
      unmeasured: hours({ 0: 1, 22: 0, 23: 0 }),
    },
  ])
})
