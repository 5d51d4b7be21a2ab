import type { Reading } from '@probe-mesh/contracts/reading'
import type { Region } from '@probe-mesh/contracts/regions'
import { isWithdrawn } from './state.ts'
import type { CheckState, RegionState } from './state.ts'

/** Why a quarantined region's readings measure nothing, as people read it after "not measured: ". */
export const quarantinedReason = "the region's own network failed (quarantined)"

/** A reading as it counts; of one that a quarantine keeps from counting, why it failed. */
export type ObservedReading = Reading & { withheldReason?: string | null }

/** A quarantined region's reading as it counts: "its votes become no data". */
export const asUnmeasured = (reading: Reading): ObservedReading => ({
  ...reading,
  verdict: 'unmeasured',
  reason: quarantinedReason,
  withheldReason: reading.verdict === 'down' ? failureOf(reading.reason) : null,
})

const failureOf = (reason: string | null): string => reason ?? 'failed'

/** Whether a quarantine keeps this region's vote: its last reading did not count because of one. */
export const isWithheld = (state: RegionState): boolean =>
  state.unmeasuredReason === quarantinedReason && state.unmeasuredAt >= state.measuredAt

/**
 * Takes back what a quarantined region holds against a check: a `down`, and a failure not yet
 * recovered from. What it saw well stays until it ages: no broken network makes a target answer.
 * Only votes change: no status does before the next reading of another region, or, where no region
 * counts any more, before time makes the check `stale`.
 */
export const withdrawVote = (state: CheckState, region: Region, nowMs: number): CheckState => {
  const held = state.regions[region]
  if (held === undefined || isWithdrawn(held)) return state
  if (held.verdict !== 'down' && !held.failing) return state
  const withdrawn = {
    ...held,
    failing: false,
    goods: 0,
    unmeasuredAt: Math.max(nowMs, held.unmeasuredAt),
    unmeasuredReason: quarantinedReason,
    withdrawnAt: nowMs,
    withheldReason: held.verdict === 'down' ? failureOf(held.reason) : null,
  }
  return { ...state, regions: { ...state.regions, [region]: withdrawn } }
}
