import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isWithdrawn } from './state.ts'
import type { CheckState, RegionState } from './state.ts'

/** Why a quarantined region's readings measure nothing, as people read it after "not measured: ". */
export const quarantinedReason = "the region's own network failed (quarantined)"

/** The same of a region in which several unrelated hosts fell silent at once. */
export const doubtedReason = 'several unrelated hosts stopped answering this region at once'

const withheldReasons: ReadonlySet<string | null> = new Set([quarantinedReason, doubtedReason])

/** A reading as it counts; of one that a quarantine keeps from counting, why it failed. */
export type ObservedReading = Reading & { withheldReason?: string | null }

/** A quarantined region's reading as it counts: it has no vote (S-1007). */
export const asUnmeasured = (reading: Reading, reason = quarantinedReason): ObservedReading => ({
  ...reading,
  verdict: 'unmeasured',
  reason,
  withheldReason: reading.verdict === 'down' ? failureOf(reading.reason) : null,
})

const failureOf = (reason: string | null): string => reason ?? 'failed'

/** Whether a quarantine or a burst keeps this region's vote: its last reading did not count because of one. */
export const isWithheld = (state: RegionState): boolean =>
  withheldReasons.has(state.unmeasuredReason) && state.unmeasuredAt >= state.measuredAt

/**
 * Takes back what a quarantined region holds against a check: a `down`, and a failure not yet
 * recovered from. What it saw well stays until it ages: no broken network makes a target answer.
 * Only votes change: no status does before the next reading of another region, or, where no region
 * counts any more, before time makes the check `stale`.
 */
export const withdrawVote = (
  state: CheckState,
  region: Region,
  nowMs: number,
  reason = quarantinedReason,
): CheckState => {
  const held = state.regions[region]
  if (held === undefined) return state
  const { suspect = null, spell: _notOfTheTarget, ...rest } = held
  const holdsVote = !isWithdrawn(held) && (held.verdict === 'down' || held.failing)
  if (!holdsVote && suspect === null) {
    if (held.spell === undefined) return state
    return { ...state, regions: { ...state.regions, [region]: rest } }
  }
  const failed = suspect ?? (held.verdict === 'down' ? held : null)
  const withdrawn = {
    ...rest,
    unmeasuredAt: Math.max(nowMs, held.unmeasuredAt),
    unmeasuredReason: reason,
    withheldReason: failed === null ? null : failureOf(failed.reason),
    ...(holdsVote && { failing: false, goods: 0, withdrawnAt: nowMs }),
  }
  return { ...state, regions: { ...state.regions, [region]: withdrawn } }
}

/** What is held against a check by a region that got no answer of it since an instant or later, if anything is. */
export const fellSilentSince = (held: RegionState | undefined, fromMs: number): boolean => {
  if (held === undefined) return false
  const { suspect = null } = held
  if (suspect !== null) return suspect.unanswered && suspect.sinceMs >= fromMs
  return (
    held.verdict === 'down' &&
    !isWithdrawn(held) &&
    held.unanswered === true &&
    (held.failingSinceMs ?? 0) >= fromMs
  )
}

/** The same of one more reading without an answer: it goes on with what began then or later, or begins now. */
export const isSilentSince = (held: RegionState | undefined, fromMs: number): boolean => {
  if (held === undefined) return true
  const isNew = !held.failing && (held.suspect ?? null) === null
  return isNew || isWithheld(held) || fellSilentSince(held, fromMs)
}
