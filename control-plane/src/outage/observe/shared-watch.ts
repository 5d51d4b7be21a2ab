import type { Logger } from 'pino'
import type { ObservedService } from '../shared-factors.ts'
import { newSharedState, observeCatalog } from '../shared-incident.ts'
import type { SharedState } from '../shared-incident.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { findSharedState, writeSharedState } from './shared-state-store.ts'
import { StoredSharedState } from './stored-shared-state.ts'

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
