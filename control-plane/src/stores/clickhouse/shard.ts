import { hash32 } from '@probe-mesh/contracts/reading/slots'
import type { ClickHouseClient } from '@clickhouse/client'

/** One server, at the database with its own rows. */
export type ClickHouseNode = ClickHouseClient

/** The owner of the rows of some checks. A single server is the only shard. */
export type Shard = {
  /**
   * Runs an action on one replica, and on another one if it is unavailable, each once. Inserts have a token,
   * so they count once on any replica.
   */
  use<T>(act: (replica: ClickHouseNode) => Promise<T>): Promise<T>
  /**
   * Like `use`, on a replica that has fetched all acknowledged rows of this table.
   * @throws ClickHouseError if missing rows are only on an unavailable replica
   */
  useCurrent<T>(table: string, act: (replica: ClickHouseNode) => Promise<T>): Promise<T>
}

/**
 * The shard that owns a check or an error project, in [0, count): the one with the highest weight for it, so
 * that a new shard takes over only its own share and no other check moves.
 */
export const shardOf = (id: string, count: number): number => {
  let owner = 0
  let highest = -1
  for (let shard = 0; shard < count; shard += 1) {
    const weight = hash32(`${shard}:${id}`)
    if (weight <= highest) continue
    highest = weight
    owner = shard
  }
  return owner
}

export type ShardRows<R> = { shard: Shard; rows: readonly R[] }

/** Rows by the shard that owns them, in their order, without empty shards. */
export const byShard = <R>(
  shards: readonly Shard[],
  rows: readonly R[],
  idOf: (row: R) => string,
  placeOf: (row: R) => number | undefined = () => undefined,
): ShardRows<R>[] => {
  const [only] = shards
  if (shards.length === 1 && only !== undefined) return [{ shard: only, rows }]
  const parts: R[][] = shards.map(() => [])
  // ids repeat, and computing the weights costs more than a look-up
  const owners = new Map<string, number>()
  for (const row of rows) {
    const id = idOf(row)
    const owner = owners.get(id) ?? shardOf(id, shards.length)
    owners.set(id, owner)
    parts[placeOf(row) ?? owner]?.push(row)
  }
  return shards.flatMap((shard, at) => {
    const part = parts[at] ?? []
    return part.length === 0 ? [] : [{ shard, rows: part }]
  })
}
