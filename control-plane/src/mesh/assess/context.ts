import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssessmentState } from './assessment-state.ts'
import type { CertificateWriter } from './certificate-writer.ts'
import type { Confirmer } from './confirmer.ts'
import type { AssessMetrics } from './metrics.ts'
import type { ProviderWriter } from './provider-writer.ts'
import type { LiveStates } from '../../status/live-states.ts'
import type { RegionWatch } from './region-watch.ts'
import type { Decode } from '../../readings/decode-once.ts'
import type { ConsumerLag, StreamConsumer } from '@probe-mesh/bus/port'
import type { AssessedCheck } from '../../status/states-store.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'

/** The shared parts of the assessor. */
export type AssessContext = {
  sql: Sql
  assessmentState: AssessmentState
  /** Compares the regions by every reading, as measured. */
  watch: RegionWatch
  confirmer: Confirmer
  metrics: AssessMetrics
  /** The partitions that this process owns now. */
  holdings: ReadonlyMap<number, Holding>
  decode: Decode
  /** Receives every judged reading, in the order of the stream. It must not throw. */
  onReadings?(readings: readonly Reading[]): void
  /** Tells states that are not in Postgres yet to control planes that answer from them. */
  readonly live?: Pick<LiveStates, 'wanted' | 'tell'>
  readonly certificates?: Pick<CertificateWriter, 'note'>
  readonly providers?: Pick<ProviderWriter, 'note'>
  /** Since when private agents can deliver to this process, Unix ms; null: they cannot; absent: since ever. */
  readonly servingSinceMs?: () => number | null
  log: Logger
  now: () => number
  /** Retries while Postgres is unavailable, until the loop closes. */
  retry<T>(attempt: () => Promise<T>): Promise<T>
}

/** The assessor applies the passage of time to checks at this pace. */
export const sweepMs = 1_000

/** After a partition was acquired, the agents of the mesh had this long to deliver what waited with them, ms. */
const graceMs = 10_000
/** The same for private agents, since they can deliver: they look for the control planes at a slower pace. */
const privateGraceMs = 45_000
/** A backlog that cannot be read keeps nothing from turning stale for longer than this, ms. */
const backlogMsMax = 300_000

/** A partition that the assessor owns. */
export type Holding = {
  readonly lease: Lease
  readonly takenAtMs: number
  /** Aborted when the partition is left. */
  readonly signal: AbortSignal
  readonly consumer: StreamConsumer
  /** The last sequence judged but not acknowledged; null: none. */
  processed: number | null
  /** The messages up to there. Absent: none yet. */
  judged?: ConsumerLag
  /** When the stream stored the last message that was judged, or is being judged, Unix ms. */
  judgedAtMs?: number
  /** When all its states are written next, Unix ms; absent: now. */
  writeAllAtMs?: number
  /** Up to when an earlier owner judged its messages as they arrived, Unix ms. */
  judgedUntilMs?: number
  /** Checks that changed while all were being loaded, to be loaded again; null once that is done. */
  changedWhileLoading: Set<string> | null
  /** Whether the backlog at the time of the acquisition has been judged. */
  caughtUp: boolean
}

/**
 * Whether a missing reading of a check is really missing, and does not wait in the stream or at an agent. Until then
 * the check is judged at the time of its newest reading.
 * @param servingSinceMs since when private agents can deliver to this process, Unix ms; null: they cannot
 */
export const isSettled = (
  { caughtUp, takenAtMs }: Pick<Holding, 'caughtUp' | 'takenAtMs'>,
  { regions, paused }: Pick<AssessedCheck, 'regions' | 'paused'>,
  nowMs: number,
  servingSinceMs: number | null = takenAtMs,
): boolean => {
  const heldMs = nowMs - takenAtMs
  if (heldMs >= backlogMsMax) return true
  if (!caughtUp || heldMs < graceMs) return false
  if (paused || !regions.some(isPrivateRegion)) return true
  return servingSinceMs !== null && nowMs - Math.max(takenAtMs, servingSinceMs) >= privateGraceMs
}
