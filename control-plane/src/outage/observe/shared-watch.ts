import type { Logger } from 'pino'
import type { ObservedService } from '../shared-factors.ts'
import { newSharedState, observeCatalog } from '../shared-incident.ts'
import type { SharedState } from '../shared-incident.ts'
import type { Sql, Connection } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { heldLeases } from '../../stores/leases/leases-store.ts'
import { FactorKind } from '@probe-mesh/contracts/outage/answers'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { z } from 'zod'

const ms = z.number()

const Member = z.object({
  slug: z.string(),
  name: z.string(),
  sinceMs: ms,
  failedAtMs: ms,
  failing: z.boolean(),
})

const OpenIncident = z.object({
  factor: z.object({ kind: FactorKind, name: z.string() }),
  region: Region.nullish(),
  sinceMs: ms,
  members: z.array(Member).min(1),
  peak: z.int().min(1),
  measuredCount: z.int().min(0),
  regions: z.array(Region),
  confidence: z.number().min(0).max(1),
  quietSinceMs: ms.nullable(),
})

/** Shared incidents as they are kept in Postgres. */
const StoredSharedState = z.object({
  open: z.array(OpenIncident),
  spent: z.array(z.object({ slug: z.string(), sinceMs: ms })),
}) satisfies z.ZodType<SharedState>

/** What was written last, unparsed, and when by its writer's clock; null where nothing was yet. */
const findSharedState = async (
  connection: Connection,
): Promise<{ atMs: number; state: unknown } | null> => {
  const [row] = await connection<{ at: Date; state: unknown }[]>`
    select at, state from shared_state`
  return row === undefined ? null : { atMs: row.at.getTime(), state: row.state }
}

/** Replaces it under a lease. @returns false, and nothing is written, where the lease is gone */
const writeSharedState = async (
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

/** Older than this it says nothing of now. */
export const sharedStateMsMax = 3_600_000
/** A row from further ahead was written by a clock that is wrong. */
const aheadMsMax = 60_000

export type SharedWatch = {
  /**
   * Takes one look: reads what is kept, and where `lease` says that it is ours to, evaluates the
   * catalog and keeps that. @throws while Postgres is away; what was evaluated stands all the same
   */
  look(): Promise<void>
  state(): SharedState
}

type Dated = { atMs: number; state: SharedState }

/**
 * Shared incidents: evaluated by one control plane, kept in Postgres, and read by the others and
 * after a restart, so that this neither loses an incident nor opens another.
 */
export const createSharedWatch = (capabilities: {
  sql: Sql
  /** Of the partition whose owner evaluates; null where that is somebody else. */
  lease: () => Lease | null
  /** Whether what is held can be answered from. */
  isReady: () => boolean
  services: () => readonly ObservedService[]
  log: Logger
  now: () => number
}): SharedWatch => {
  const { sql, lease, isReady, services, log, now } = capabilities
  let known: Dated | null = null
  let hasRead = false

  const stateAt = (nowMs: number): SharedState =>
    known !== null && nowMs - known.atMs < sharedStateMsMax ? known.state : newSharedState

  const read = async (nowMs: number): Promise<void> => {
    const found = await findSharedState(sql)
    hasRead = true
    if (found === null || found.atMs > nowMs + aheadMsMax) return
    if (known !== null && found.atMs <= known.atMs) return
    const parsed = StoredSharedState.safeParse(found.state)
    if (parsed.success) known = { atMs: found.atMs, state: parsed.data }
    else log.error({ err: parsed.error }, 'the shared state kept cannot be read; it is replaced')
  }

  return {
    look: async () => {
      const nowMs = now()
      const reading = await read(nowMs).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      const own = lease()
      // from nothing that is kept a second incident would be made of the first one's outages
      if (own !== null && hasRead && isReady()) {
        known = { atMs: nowMs, state: observeCatalog(stateAt(nowMs), services(), nowMs) }
        if (reading === null) await writeSharedState(sql, own, known)
      }
      if (reading !== null) throw reading.error
    },
    state: () => stateAt(now()),
  }
}
