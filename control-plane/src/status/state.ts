import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Spell } from './spell.ts'

/**
 * What the assessor remembers of one region of a check. Stored as JSON in `check_states.regions`.
 * Times are Unix milliseconds.
 */
export type RegionState = {
  /** The last measured verdict; null before the first. */
  verdict: 'up' | 'down' | 'blocked' | null
  reason: string | null
  latencyMs: number | null
  timings: Timings
  /** When it was measured, by the agent's clock but never after its arrival. */
  measuredAt: number
  /** Up readings in a row, counted to `goodsToRecover`. */
  goods: number
  /** From a down reading until `goodsToRecover` good ones: closing is slower than opening. */
  failing: boolean
  /** The last reading that measured nothing, and why: the honest reason of `stale` and `unknown`. */
  unmeasuredAt: number
  unmeasuredReason: string | null
  /**
   * When its vote was withdrawn: what it measured says nothing until it is measured again. Null where
   * it stands; absent in what was stored before votes could be withdrawn.
   */
  withdrawnAt?: number | null
  /**
   * Why its last reading failed that a quarantine kept from counting; null or absent where there is no
   * such reading, or it did not fail.
   */
  withheldReason?: string | null
  /** A failure that does not count yet. Null or absent where there is none. */
  suspect?: Suspect | null
  /** Since when it fails without a good reading in between, while it does. */
  failingSinceMs?: number | null
  /** Whether the last failure came without an answer of the target. */
  unanswered?: boolean
  /** When the round was asked that its newest reading answers, by the clock of whoever asked; null of a slot. */
  roundAtMs?: number | null
  /** Its failures that come and go; absent where there are none. */
  spell?: Spell | undefined
}

/** A region's failure until it was asked again, and its own network weighed. */
export type Suspect = Pick<RegionState, 'reason' | 'latencyMs' | 'timings' | 'measuredAt'> & {
  /** When the first of its readings that failed was measured. */
  sinceMs: number
  /** When we heard of it, by our clock: it is weighed from then on. Absent: from `sinceMs`. */
  heardAtMs?: number
  unanswered: boolean
  /** Whether it was asked again, and failed again. */
  confirmed: boolean
  roundAtMs: number | null
}

/** A check's state: `status` changes only by a flip, `regions` with every reading. */
export type CheckState = {
  status: CheckStatus
  statusReason: string | null
  statusSinceMs: number | null
  /** Counts flips: the compare-and-set of the next one names it. */
  version: number
  /**
   * It fails wherever a region may vote, and too few may: a quarantine keeps the others. Changes only by
   * a flip; absent is no.
   */
  unconfirmed?: boolean
  /**
   * It is degraded and no region sees it up: every probe is refused, or too few saw it fail. Changes only
   * by a flip; absent is no.
   */
  noneUp?: boolean
  /** When only one of these two changed last, since the status did: no later flip lies before it. */
  markedAtMs?: number
  regions: Record<Region, RegionState>
}

/** What status depends on besides readings. */
export type CheckSchedule = { regions: readonly Region[]; intervalSeconds: number }

/** Good readings in a row after which a region counts as recovered (S-909). */
export const goodsToRecover = 2

/** Whether what a region measured was taken back. */
export const isWithdrawn = (state: RegionState): boolean => (state.withdrawnAt ?? null) !== null

export const newRegionState: RegionState = {
  verdict: null,
  reason: null,
  latencyMs: null,
  timings: noTimings,
  measuredAt: 0,
  goods: 0,
  failing: false,
  unmeasuredAt: 0,
  unmeasuredReason: null,
  withdrawnAt: null,
}

export const newCheckState: CheckState = {
  status: 'unknown',
  statusReason: null,
  statusSinceMs: null,
  version: 0,
  regions: {},
}
