import { setTimeout as wait } from 'node:timers/promises'
import type { ClickHouseNode } from './shard.ts'

const pollMs = 50
const pollsMax = 200

/**
 * Resolves when every insert into these tables that the server runs now has ended. An insert commits the raw
 * table first and each rollup later, even when its client is gone. A comparison must wait, or rows that are
 * not written yet look missing.
 * @throws Error if one runs for more than 10 s
 */
export const runningInsertsEnded = async (
  clickhouse: Pick<ClickHouseNode, 'query'>,
  into: 'readings' | 'error_occurrences' = 'readings',
): Promise<void> => {
  const first = await runningInserts(clickhouse, into)
  let left = first
  for (let polls = 0; left.size > 0; polls += 1) {
    if (polls === pollsMax)
      throw new Error(`${left.size} inserts still run after ${(pollMs * pollsMax) / 1_000} s`)
    await wait(pollMs)
    left = first.intersection(await runningInserts(clickhouse, into))
  }
}

const runningInserts = async (
  clickhouse: Pick<ClickHouseNode, 'query'>,
  into: string,
): Promise<Set<string>> => {
  const result = await clickhouse.query({
    query: `
      select query_id from system.processes
      where query_kind = 'Insert' and current_database = currentDatabase()
        and startsWith(lower(query), {start:String})`,
    query_params: { start: `insert into ${into}` },
    format: 'JSONEachRow',
  })
  return new Set((await result.json<{ query_id: string }>()).map((row) => row.query_id))
}
