import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test, vi } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { connectClickHouse } from './connect.ts'
import { insertReadings } from '../../readings/insert-readings.ts'
import { runningInsertsEnded } from './running-inserts.ts'

test('waits for a running insert until its last rollup is written', async () => {
  const store = await createTestClickHouse()
  const clickhouse = connectClickHouse(store.url)
  const checkId = uuidv7(Date.now())
  const counts = async () => {
    const result = await clickhouse.query({
      query: `
        select (select count() from readings_raw) as raw, (select count() from readings_minute) as minute,
          (select count() from readings_hour) as hour`,
      format: 'JSONEachRow',
    })
    return (await result.json<Record<'raw' | 'minute' | 'hour', number>>())[0]
  }
  try {
    await clickhouse.command({ query: 'create table slow (none UInt8) engine = Memory' })
    await clickhouse.command({
      query:
        'create materialized view slow_view to slow as select toUInt8(sleep(1)) as none from readings_raw',
    })
    const row = { reading: { ...readingAt('fra', 'up', Date.now()), checkId }, agent: 'fra-1' }
    const rows = [{ ...row, receivedAtMs: Date.now(), rawDays: 30, hourDays: 90 }]
    const inserting = insertReadings(clickhouse, rows, uuidv7(Date.now()))
    await vi.waitFor(async () => expect(await counts()).toMatchObject({ raw: 1 }))
    await runningInsertsEnded(clickhouse)
    expect(await counts()).toEqual({ raw: 1, minute: 1, hour: 1 })
    await inserting
  } finally {
    await clickhouse.close()
    await store.close()
  }
})
