import type { ClickHouse } from '../stores/clickhouse/connect.ts'

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
