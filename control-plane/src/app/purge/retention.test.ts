import pino from 'pino'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { insertReadings } from '../../readings/insert-readings.ts'
import { updateAccountTier } from '../../accounts/manage-accounts.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { readingAt } from '../../status/testing.ts'
import { applyRetention, checksPerStep, startPurger } from './purger.ts'

const dayMs = 86_400_000
const now = Date.now()
const delayMs = 20_000
const tables = ['readings_raw', 'readings_minute', 'readings_hour'] as const
/** The ages of the readings of each check, days. The last one is beyond the retention of every tier. */
const ageDays = [0, 5, 20, 60, 120]

const sql = useTestSql({ role: 'probe_mesh_system' })
const clickhouse = useClickHouse()

/** Readings stored while the account had the tier `scale`. */
const insert = async (checkId: string): Promise<void> => {
  const rows = ageDays.map((age) => ({
    reading: { ...readingAt('fra', 'up', now - age * dayMs), checkId },
    agent: 'fra-1',
    receivedAtMs: now,
    ...tiersDefault.scale,
  }))
  await insertReadings(clickhouse, rows, uuidv7(now))
}
const accountOf = async (checkId: string): Promise<string> => {
  const [row] = await sql<{ account_id: string }[]>`
    select account_id from checks where id = ${checkId}`
  return row?.account_id ?? ''
}
/** The numbers of readings, minutes and hours after expiry. */
const counts = (checkId: string): Promise<number[]> =>
  Promise.all(
    tables.map(async (table) => {
      await clickhouse.command({ query: `optimize table ${table} final` })
      const result = await clickhouse.query({
        query: `select count() as count from ${table} where check_id = {checkId:UUID}`,
        query_params: { checkId },
        format: 'JSONEachRow',
      })
      return (await result.json<{ count: number }>())[0]?.count ?? 0
    }),
  )
/** Runs all steps. */
const applyAll = async (): Promise<number> => {
  const clock = { nowMs: now + delayMs + 1, delayMs }
  let steps = 0
  await expect
    .poll(async () => {
      const checks = await applyRetention({ sql, clickhouse }, tiersDefault, clock)
      if (checks !== null && checks > 0) steps += 1
      return sql`select from retention_changes`
    })
    .toHaveLength(0)
  return steps
}

test('the purger applies the retention of a lowered tier to that account only', async () => {
  const [lowered, kept] = [
    await insertTestCheck(sql, { regions: ['fra'] }),
    await insertTestCheck(sql, { regions: ['fra'] }),
  ]
  await Promise.all([insert(lowered), insert(kept)])
  expect(await counts(lowered)).toEqual([4, 4, 5])
  await updateAccountTier(sql, await accountOf(lowered), 'free', now)
  const log = pino({ level: 'silent' })
  const capabilities = { sql, clickhouse, registry: new Registry(), log, tiers: tiersDefault }
  const purger = startPurger({ ...capabilities, now: () => now + delayMs + 1, delayMs })
  try {
    await expect.poll(() => counts(lowered)).toEqual([2, 2, 4])
    expect(await counts(kept)).toEqual([4, 4, 5])
  } finally {
    await purger.close()
  }
})

test('covers all checks of an account, keeps remaining readings after a raised tier, and waits for running inserts', async () => {
  const first = await insertTestCheck(sql, { regions: ['fra'] })
  const accountId = await accountOf(first)
  const last = 'ffffffff-0000-7000-8000-000000000000'
  await sql`
    insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
      valid_from, created_at, updated_at)
    select ids.id, account_id, type, name, url, interval_seconds, regions, all_regions, valid_from,
      created_at, updated_at
    from checks, (
      select ${last}::uuid as id union all
      select gen_random_uuid() from generate_series(1, ${checksPerStep})
    ) as ids where checks.id = ${first}`
  await insert(last)
  await updateAccountTier(sql, accountId, 'growth', now)
  const early = { nowMs: now + delayMs, delayMs }
  expect(await applyRetention({ sql, clickhouse }, tiersDefault, early)).toBeNull()
  expect(await applyAll()).toBe(2)
  await expect.poll(() => counts(last)).toEqual([3, 3, 5])
  await updateAccountTier(sql, accountId, 'scale', now)
  await applyAll()
  await expect.poll(() => daysKept(last)).toEqual([[90, 800]])
})

/** The retention in the rows of a check. */
const daysKept = async (checkId: string): Promise<number[][]> => {
  const result = await clickhouse.query({
    query: `
      select distinct raw_days, hour_days from readings_raw where check_id = {checkId:UUID}`,
    query_params: { checkId },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ raw_days: number; hour_days: number }>()
  return rows.map((row) => [row.raw_days, row.hour_days])
}
