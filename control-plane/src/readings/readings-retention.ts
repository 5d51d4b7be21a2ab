import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { ClickHouseNode } from '../stores/clickhouse/shard.ts'

/** The column of each table that says for how many days its rows are kept, and whose days those are. */
const kept = [
  { table: 'readings_raw', column: 'raw_days', days: 'rawDays' },
  { table: 'readings_raw', column: 'hour_days', days: 'hourDays' },
  { table: 'readings_minute', column: 'raw_days', days: 'rawDays' },
  { table: 'readings_hour', column: 'hour_days', days: 'hourDays' },
] as const

/**
 * What is stored of these checks is to be kept for so many days, as if it had been stored so; what is older
 * goes. ClickHouse does it behind: one small column of the parts that hold other days is rewritten.
 * @param retention of the account's tier, days
 */
export const keepReadings = async (
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

/** Whether readings are being rewritten: what is asked for meanwhile would only wait in line. */
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

/** Removes every reading and rollup of these checks (S-219). */
export const purgeReadings = async (
  clickhouse: ClickHouse,
  checkIds: readonly string[],
): Promise<void> => {
  if (checkIds.length === 0) return
  // also where they have not been since a shard was added
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
