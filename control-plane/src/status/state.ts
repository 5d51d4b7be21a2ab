import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { noTimings, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { Spell } from './spell.ts'

/**
 * The assessor's state of one region of a check, stored as JSON in `check_states.regions`. Times are Unix
 * milliseconds.
 */
export type RegionState = {
  /** The last measured verdict; null before the first one. */
  verdict: 'up' | 'down' | 'blocked' | null
  reason: string | null
  latencyMs: number | null
  timings: Timings
  /** When it was measured by the clock of the agent, but never later than its arrival. */
  measuredAt: number
  /** Up readings in a row, up to `goodsToRecover`. */
  goods: number
  /** From a down reading to `goodsToRecover` good ones: closing is slower than opening. */
  failing: boolean
  /** The last unmeasured slot, and why: the reason shown for `stale` and `unknown`. */
  unmeasuredAt: number
  unmeasuredReason: string | null
  /**
   * When its vote was withdrawn: its readings do not count until it is measured again. Null if it was not;
   * absent in states stored before votes could be withdrawn.
   */
  withdrawnAt?: number | null
  /**
   * Why its last withheld reading failed; null or absent if no quarantine withheld one, or it did not fail.
   */
  withheldReason?: string | null
  /**
   * When the newest reading was measured that a quarantine, a pause or a revision kept from counting: delivered
   * again later, it does not count either. Absent once a newer one counts.
   */
  ignoredAt?: number
  /** A failure that does not count yet; null or absent if there is none. */
  suspect?: Suspect | null
  /** Since when it has failed without a good reading, while it fails. */
  failingSinceMs?: number | null
  /** Whether the target gave no answer at the last failure. */
  unanswered?: boolean
  /**
   * When the round was requested that its newest reading answers, by the clock of the requester; null for a
   * scheduled slot.
   */
  roundAtMs?: number | null
  /** Its failures that come and go; absent if there are none. */
  spell?: Spell | undefined
  /** Failed slots in a row, while it fails; absent: one. */
  fails?: number
  /** Slow readings in a row, up to `slowsToCount`; absent: none. */
  slows?: number
  /** The latency of the last of them, while newer readings have none. */
  slowLatencyMs?: number
}

/** A failure of a region that awaits its confirmation and a check of the region's own network. */
export type Suspect = Pick<RegionState, 'reason' | 'latencyMs' | 'timings' | 'measuredAt' | 'fails'> & {
  /** When its first failed reading was measured. */
  sinceMs: number
  /** When it arrived, by our clock: it is held back from then on. Absent: from `sinceMs`. */
  heardAtMs?: number
  unanswered: boolean
  /** Whether a confirmation failed as well. */
  confirmed: boolean
  roundAtMs: number | null
}

/** The state of a check: `status` changes only by a flip, `regions` with every reading. */
export type CheckState = {
  status: CheckStatus
  statusReason: string | null
  statusSinceMs: number | null
  /** Counts flips, for the compare-and-set of the next one. */
  version: number
  /**
   * It fails in all regions that may vote, but they are too few: a quarantine withholds the others. Changes
   * only by a flip; absent means no.
   */
  unconfirmed?: boolean
  /**
   * It is degraded and no region sees it up: every probe is refused, or too few saw it fail. Changes only by
   * a flip; absent means no.
   */
  noneUp?: boolean
  /** When one of these two marks last changed without a status change: no later flip is earlier. */
  markedAtMs?: number
  regions: Record<Region, RegionState>
}

/** The definition of a check that its status depends on. */
export type CheckSchedule = {
  regions: readonly Region[]
  intervalSeconds: number
  /** What decides its status; absent or null: the default. */
  statusRule?: StatusRule | null | undefined
}

/** Good readings in a row after which a region counts as recovered (S-909). */
export const goodsToRecover = 2

/** A region's state after a reading that does not count. */
export const withIgnored = (state: RegionState, measuredAt: number): RegionState =>
  measuredAt > (state.ignoredAt ?? 0) ? { ...state, ignoredAt: measuredAt } : state

/** Whether the vote of a region was withdrawn. */
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
