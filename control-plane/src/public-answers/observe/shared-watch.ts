import type { Logger } from 'pino'
import type { OpenIncident as OpenIncidentState } from '../open-incident.ts'
import type { ObservedService } from '../shared-factors.ts'
import { newSharedState, observeCatalog, type SharedState } from '../shared-incident.ts'
import type { Sql, Connection } from '../../stores/postgres/connect.ts'
import { heldLeases, type Lease } from '../../stores/leases/leases-store.ts'
import { FactorKind } from '@probe-mesh/contracts/outage/answers'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { z } from 'zod'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

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

/** Shared incidents as stored in Postgres. */
const StoredSharedState = z.object({
  open: z.array(OpenIncident),
  spent: z.array(z.object({ slug: z.string(), sinceMs: ms })),
}) satisfies z.ZodType<SharedState>

/** The stored state, unparsed, with the time of its writer's clock; null before the first write. */
const findSharedState = async (connection: Connection): Promise<{ atMs: number; state: unknown } | null> => {
  const [row] = await connection<{ atMs: number; state: unknown }[]>`
    select ${epochMs(connection, 'at')} as "atMs", state from shared_state`
  return row ?? null
}

/** A state that is not evaluated for this long says nothing about now. */
const currentMsMax = 600_000

/** The shared incidents that answers report now, as stored; none while nothing evaluates the catalog. */
export const findOpenIncidents = async (
  connection: Connection,
  nowMs: number,
): Promise<readonly OpenIncidentState[]> => {
  const found = await findSharedState(connection)
  if (found === null || Math.abs(nowMs - found.atMs) > currentMsMax) return []
  const parsed = StoredSharedState.safeParse(found.state)
  return parsed.success ? parsed.data.open : []
}

/** Replaces the state under a lease. @returns false, without a write, when the lease is lost */
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

/** Older states are ignored. */
const sharedStateMsMax = 3_600_000
/** A row from further in the future was written by a wrong clock. */
const aheadMsMax = 60_000

type SharedWatch = {
  /**
   * Reads the stored state. With the lease, also evaluates the catalog and stores the result.
   * @throws while Postgres is unavailable; the evaluation still counts
   */
  evaluate(): Promise<void>
  state(): SharedState
}

type Dated = { atMs: number; state: SharedState }

/**
 * Shared incidents. One control plane evaluates and stores them in Postgres; the others read them, and
 * so does a restarted one, which neither loses nor duplicates an incident.
 */
export const createSharedWatch = (capabilities: {
  sql: Sql
  /** The lease of the partition whose owner evaluates; null if another control plane owns it. */
  lease: () => Lease | null
  /** Whether the readings are complete enough to answer from. */
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
    else log.error({ err: parsed.error }, 'the stored shared incidents are invalid; replacing them')
  }

  return {
    evaluate: async () => {
      const nowMs = now()
      const reading = await read(nowMs).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      const own = lease()
      // without the stored state, the outages of an open incident would open a second one
      if (own !== null && hasRead && isReady()) {
        known = { atMs: nowMs, state: observeCatalog(stateAt(nowMs), services(), nowMs) }
        if (reading === null) await writeSharedState(sql, own, known)
      }
      if (reading !== null) throw reading.error
    },
    state: () => stateAt(now()),
  }
}
