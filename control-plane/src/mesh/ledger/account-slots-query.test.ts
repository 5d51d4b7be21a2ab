import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { latenessOf, storedSlotsOf } from './account-slots-query.ts'
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
