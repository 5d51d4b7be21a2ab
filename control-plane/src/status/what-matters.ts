import { staleAfterMs } from './freshness.ts'
import { countsUntilMs } from './region-status.ts'
import type { CheckState, RegionState } from './state.ts'

/** A state that only got newer is stored after this long at the latest, ms (S-945). */
export const storedWithinMs = 30_000

/** Judging, writing and the clocks of agents may take this long until a reader sees a row, ms. */
const readerMs = 8_000

/** What each reading moves, and what judging the same readings again restores. */
const moving = {
  measuredAt: true,
  goods: true,
  latencyMs: true,
  timings: true,
  unmeasuredAt: true,
  roundAtMs: true,
  fails: true,
  slowLatencyMs: true,
} as const satisfies Partial<Record<keyof RegionState, true>>

type Lasting = Exclude<keyof RegionState, keyof typeof moving | 'spell' | 'suspect'>

/** What a reader of the row or the next owner would judge by. */
const lasting = Object.keys({
  verdict: true,
  reason: true,
  failing: true,
  unmeasuredReason: true,
  withdrawnAt: true,
  withheldReason: true,
  failingSinceMs: true,
  unanswered: true,
  slows: true,
  // what kept it from counting may be over when it is judged again
  ignoredAt: true,
} satisfies Record<Lasting, true>) as Lasting[]

/**
 * Why a state must be stored now; null if only its readings are newer, which the stream still has (S-945). Both
 * states are of one check, one after the other.
 */
export const whatMatters = (
  before: CheckState,
  after: CheckState,
): 'flip' | 'reason' | 'region' | 'failing' | 'spell' | null => {
  if (before.version !== after.version) return 'flip'
  if (before.statusReason !== after.statusReason) return 'reason'
  for (const [region, held] of Object.entries(after.regions)) {
    const known = before.regions[region]
    if (known === held) continue
    if (known === undefined) return 'region'
    if (lasting.some((key) => (known[key] ?? null) !== (held[key] ?? null))) return 'region'
    if (isUnmeasured(known) !== isUnmeasured(held)) return 'region'
    // alerts ask rows whether it still fails, and evidence under way ends with what comes next
    if (held.failing || (held.suspect ?? null) !== null) return 'failing'
    if (isOtherSpell(known.spell, held.spell)) return 'spell'
  }
  return null
}

/** Whether its last slot was not measured. */
const isUnmeasured = ({ unmeasuredAt, measuredAt }: RegionState): boolean => unmeasuredAt >= measuredAt

/** Its counts of readings follow from the readings. */
const isOtherSpell = (before: RegionState['spell'], after: RegionState['spell']): boolean =>
  before !== after &&
  (before?.sinceMs !== after?.sinceMs || before?.runs !== after?.runs || before?.wasDown !== after?.wasDown)

/**
 * When a state that only got newer is stored at the latest, Unix ms: before the readings of its row are stale, however
 * late the newer ones came, so that no reader of a row takes a region for stale that is not (S-945).
 * @param before as in its row, or as it was when it had a newer reading that is not in its row either
 */
export const storedByMs = (
  before: CheckState,
  after: CheckState,
  intervalSeconds: number,
  nowMs: number,
): number => {
  const staleAfter = staleAfterMs(intervalSeconds)
  let byMs = nowMs + storedWithinMs
  for (const [region, held] of Object.entries(after.regions)) {
    const known = before.regions[region]
    if (known === undefined || known.measuredAt === held.measuredAt) continue
    // of a backlog: the newer reading is stale as well, and a reader of either row says so
    if ((countsUntilMs(held, staleAfter) ?? nowMs) < nowMs) continue
    byMs = Math.min(byMs, (countsUntilMs(known, staleAfter) ?? byMs) - readerMs)
  }
  return Math.max(nowMs, byMs)
}
