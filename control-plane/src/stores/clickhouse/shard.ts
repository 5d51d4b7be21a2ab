import { hash32 } from '@probe-mesh/contracts/reading/slots'
import type { ClickHouseClient } from '@clickhouse/client'

/** One server, at the database with its own rows. */
export type ClickHouseNode = ClickHouseClient

/** Where the rows of some checks are written. A server by itself is the only shard. */
export type Shard = {
  /**
   * Acts on one replica, and on another one where it is away: what is inserted has a token, so that it
   * counts once whichever replica took it. Each is tried once.
   */
  use<T>(act: (replica: ClickHouseNode) => Promise<T>): Promise<T>
  /**
   * Like `use`, on a replica that has fetched all that the shard acknowledged of this table.
   * @throws ClickHouseError when what is missing lies on a replica that is away
   */
  useCurrent<T>(table: string, act: (replica: ClickHouseNode) => Promise<T>): Promise<T>
}

/**
 * The shard that owns a check or an error project, in [0, count): the one whose weight for it is highest, so
 * that a shard that is added takes over its own share and no other check moves.
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

/** Rows by the shard that owns them, in their order; shards without any are left out. */
export const byShard = <R>(
  shards: readonly Shard[],
  rows: readonly R[],
  idOf: (row: R) => string,
  placeOf: (row: R) => number | undefined = () => undefined,
): ShardRows<R>[] => {
  const [only] = shards
  if (shards.length === 1 && only !== undefined) return [{ shard: only, rows }]
  const parts: R[][] = shards.map(() => [])
  // ids repeat from row to row, and a weight for each shard costs more than a look
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
