import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isWithdrawn, withIgnored, type CheckState, type RegionState } from './state.ts'

/** Why readings of a quarantined region do not count, as people read it after "not measured: ". */
export const quarantinedReason = "the region's own network failed (quarantined)"

/** The same for a region in which several unrelated hosts fell silent at once. */
export const doubtedReason = 'several unrelated hosts stopped answering this region at once'

const withheldReasons: ReadonlySet<string | null> = new Set([quarantinedReason, doubtedReason])

/** A reading as it counts; if a quarantine withholds it, with the reason of its failure. */
export type ObservedReading = Reading & { withheldReason?: string | null }

/** A reading of a quarantined region as it counts: without a vote (S-1007). */
export const asUnmeasured = (reading: Reading, reason = quarantinedReason): ObservedReading => ({
  ...reading,
  verdict: 'unmeasured',
  reason,
  withheldReason: reading.verdict === 'down' ? failureOf(reading.reason) : null,
})

const failureOf = (reason: string | null): string => reason ?? 'failed'

/**
 * Whether a quarantine or a burst withholds the vote of this region: its last reading did not count because
 * of one.
 */
export const isWithheld = (state: RegionState): boolean =>
  withheldReasons.has(state.unmeasuredReason) && state.unmeasuredAt >= state.measuredAt

/**
 * Withdraws the failures that a quarantined region reported for a check: a `down`, and a failure it has not
 * recovered from. Its good readings stay until they expire, since a broken network makes no target answer.
 * Only votes change; the status changes with the next reading of another region, or, if no region counts any
 * more, when time makes the check `stale`.
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
    ...(suspect === null ? rest : withIgnored(rest, suspect.measuredAt)),
    unmeasuredAt: Math.max(nowMs, held.unmeasuredAt),
    unmeasuredReason: reason,
    withheldReason: failed === null ? null : failureOf(failed.reason),
    ...(holdsVote && { failing: false, goods: 0, withdrawnAt: nowMs }),
  }
  return { ...state, regions: { ...state.regions, [region]: withdrawn } }
}

/**
 * The failure that a region reports without an answer of the target since an instant or later, if there is
 * one.
 */
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

/** The same after one more reading without an answer: it continues the failure since then, or starts one. */
export const isSilentSince = (held: RegionState | undefined, fromMs: number): boolean => {
  if (held === undefined) return true
  const isNew = !held.failing && (held.suspect ?? null) === null
  return isNew || isWithheld(held) || fellSilentSince(held, fromMs)
}
