import { isRejectedByClickHouse } from './connect.ts'
import type { ClickHouseNode, ShardRows } from './shard.ts'

/**
 * Inserts the rows of each shard, into all shards at once.
 * @throws an error with an unknown outcome before a refusal: after a refusal the caller knows that nothing is
 * still running
 */
export const writeShards = async <R>(
  parts: readonly ShardRows<R>[],
  insert: (replica: ClickHouseNode, rows: readonly R[]) => Promise<void>,
): Promise<void> => {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) {
    return only.shard.use((replica) => insert(replica, only.rows))
  }
  const outcomes = await Promise.allSettled(
    parts.map(({ shard, rows }) => shard.use((replica) => insert(replica, rows))),
  )
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (failures.length === 0) return
  throw failures.find((failure) => !isRejectedByClickHouse(failure)) ?? failures[0]
}
