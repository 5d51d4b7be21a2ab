import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { ClickHouseNode } from '../stores/clickhouse/shard.ts'

/** The retention column of each table, and the setting it holds. */
const kept = [
  { table: 'readings_raw', column: 'raw_days', days: 'rawDays' },
  { table: 'readings_raw', column: 'hour_days', days: 'hourDays' },
  { table: 'readings_minute', column: 'raw_days', days: 'rawDays' },
  { table: 'readings_hour', column: 'hour_days', days: 'hourDays' },
] as const

/**
 * Changes the retention of the stored readings of these checks, as if they had been stored with it; older
 * ones are deleted. ClickHouse does it in the background, rewriting one small column of the affected parts.
 * @param retention of the account's plan, days
 */
export const setReadingsRetention = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
  retention: { rawDays: number; hourDays: number },
): Promise<void> => {
  if (checkIds.length === 0) return
  for (const shard of clickhouse.shards) {
    for (const { table, column, days } of kept) {
      await shard.use((replica) =>
        replica.command({
          query: `
            alter table ${table} update ${column} = {days:UInt16}
            where check_id in {ids:Array(UUID)} and ${column} != {days:UInt16}`,
          query_params: { ids: [...checkIds], days: retention[days] },
          clickhouse_settings: { mutations_sync: '0', wait_end_of_query: 1 },
        }),
      )
    }
  }
}

/** Whether readings are being rewritten: another request would only queue. */
export const isRewritingReadings = async (clickhouse: ClickHouse): Promise<boolean> => {
  for (const shard of clickhouse.shards) {
    if (await shard.use(isRewriting)) return true
  }
  return false
}

const isRewriting = async (replica: Pick<ClickHouseNode, 'query'>): Promise<boolean> => {
  const result = await replica.query({
    query: `
      select count() as count from system.mutations
      where database = currentDatabase() and table in {tables:Array(String)} and not is_done`,
    query_params: { tables: [...new Set(kept.map(({ table }) => table))] },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ count: number }>()
  return Number(row?.count ?? 0) > 0
}

const tables = ['readings_raw', 'readings_minute', 'readings_hour'] as const

/** Deletes every reading and rollup of these checks (S-219). */
export const purgeReadings = async (clickhouse: ClickHouse, checkIds: readonly string[]): Promise<void> => {
  if (checkIds.length === 0) return
  // every shard: shards may have been added since
  for (const shard of clickhouse.shards) {
    for (const table of tables) {
      await shard.use((replica) =>
        replica.command({
          query: `delete from ${table} where check_id in {ids:Array(UUID)}`,
          query_params: { ids: [...checkIds] },
          clickhouse_settings: { lightweight_deletes_sync: '1', wait_end_of_query: 1 },
        }),
      )
    }
  }
}
