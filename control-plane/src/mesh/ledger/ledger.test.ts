import { slotsDue } from '@probe-mesh/contracts/reading/slots'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { insertReadings } from '../../readings/insert-readings.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { readingAt } from '../../status/testing.ts'
import { countLedger } from './ledger.ts'

const sql = useTestSql()
const clickhouse = useClickHouse()

test('due, measured, unmeasured and missing are counted by region, of settled slots only', async () => {
  const nowMs = Date.now()
  const checkId = await insertTestCheck(sql, { regions: ['fra', 'nrt'] })
  const validFromMs = nowMs - 3_600_000
  await sql`update check_revisions set valid_from = ${new Date(validFromMs)}`
  const toMs = Math.floor((nowMs - 120_000) / 60_000) * 60_000
  const revision = {
    validFromMs,
    validToMs: null,
    regions: ['fra', 'nrt'],
    intervalSeconds: 60,
    paused: false,
  }
  const slots = slotsDue(checkId, 'fra', [revision], toMs - 900_000, nowMs)
  expect(slots.length).toBeGreaterThan(15)
  const rows = slots.slice(1).map((slot, index) => ({
    reading: {
      ...readingAt('fra', index === 0 ? 'unmeasured' : 'up', slot),
      checkId,
      slot,
    },
    agent: 'fra-1',
    receivedAtMs: slot,
    rawDays: 7,
    hourDays: 30,
  }))
  await insertReadings(clickhouse, rows, 'ledger')
  expect(await countLedger({ sql, clickhouse }, nowMs)).toEqual(
    new Map([
      ['fra', { due: 15, measured: 13, unmeasured: 1, missing: 1 }],
      ['nrt', { due: 15, measured: 0, unmeasured: 0, missing: 15 }],
    ]),
  )
})
