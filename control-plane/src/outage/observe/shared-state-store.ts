import type { SharedState } from '../shared-incident.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import { heldLeases } from '../../stores/leases/leases-store.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'

/** What was written last, unparsed, and when by its writer's clock; null where nothing was yet. */
export const findSharedState = async (
  connection: Connection,
): Promise<{ atMs: number; state: unknown } | null> => {
  const [row] = await connection<{ at: Date; state: unknown }[]>`
    select at, state from shared_state`
  return row === undefined ? null : { atMs: row.at.getTime(), state: row.state }
}

/** Replaces it under a lease. @returns false, and nothing is written, where the lease is gone */
export const writeSharedState = async (
  connection: Connection,
  lease: Lease,
  { atMs, state }: { atMs: number; state: SharedState },
): Promise<boolean> => {
  const held = await connection`
    with ${heldLeases(connection, [lease])},
    written as (
      insert into shared_state (at, state)
      select ${new Date(atMs)}::timestamptz, ${connection.json(state as never)}::jsonb from held
      on conflict (one) do update set at = excluded.at, state = excluded.state
    )
    select partition from held`
  return held.length === 1
}
