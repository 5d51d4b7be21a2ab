import { isUnanswered } from './unanswered.ts'
import { staleAfterMs } from './freshness.ts'
import { countsUntilMs } from './region-status.ts'
import { nextSpell } from './spell.ts'
import { goodsToRecover, isWithdrawn, withIgnored, type CheckSchedule, type RegionState } from './state.ts'
import { slowRunAfter } from './status-rule.ts'
import type { ObservedReading } from './withdraw.ts'

/** When a reading was measured, and when it is evaluated; Unix ms. */
type Times = { measuredAt: number; nowMs: number }

/**
 * A region's state after a reading; the same object if the reading adds nothing. The first failure of a
 * region that did not fail is a suspect.
 */
export const nextRegionState = (
  before: RegionState,
  reading: ObservedReading,
  times: Times,
  schedule: Pick<CheckSchedule, 'intervalSeconds' | 'statusRule'>,
): RegionState => {
  const { measuredAt } = times
  const { intervalSeconds } = schedule
  const staleAfter = staleAfterMs(intervalSeconds)
  const { suspect = null, ignoredAt = 0 } = before
  const isKnown = measuredAt <= Math.max(before.measuredAt, suspect?.measuredAt ?? 0, ignoredAt)
  if (reading.verdict === 'unmeasured') {
    const { reason, withheldReason } = reading
    const isWithheld = withheldReason !== undefined
    if (isWithheld && isKnown) return before
    const noted = isWithheld ? withIgnored(before, measuredAt) : before
    if (measuredAt <= before.unmeasuredAt) return noted
    const after = { ...noted, unmeasuredAt: measuredAt, unmeasuredReason: reason }
    return isKept(withheldReason ?? null, before)
      ? { ...after, withheldReason: withheldReason ?? null }
      : after
  }
  if (isKnown) return before
  // a region that was silent until it lost its vote has nothing to recover from
  const isRemembered = measuredAt <= (countsUntilMs(before, staleAfter) ?? 0)
  const wasFailing = before.failing && isRemembered
  const { verdict } = reading
  return verdict === 'down' && (!wasFailing || isWithdrawn(before))
    ? suspected(before, reading, times, intervalSeconds)
    : measured(before, isRemembered, reading, verdict, measuredAt, schedule)
}

/** The failed slots of a run with one more reading; absent if it is one. Only scheduled readings are slots. */
const failsAfter = (before: number, { kind }: ObservedReading): Pick<RegionState, 'fails'> => {
  const fails = before + (kind === 'scheduled' ? 1 : 0)
  return fails === 1 ? {} : { fails }
}

const roundOf = ({ kind, slot }: ObservedReading): number | null => (kind === 'confirmation' ? slot : null)

const suspected = (
  before: RegionState,
  reading: ObservedReading,
  { measuredAt, nowMs }: Times,
  intervalSeconds: number,
): RegionState => {
  const {
    suspect = null,
    spell: held,
    slows: _well,
    slowLatencyMs: _its,
    ignoredAt: _older,
    ...rest
  } = before
  const goesOn = suspect !== null && measuredAt - suspect.measuredAt <= staleAfterMs(intervalSeconds)
  const confirmed = goesOn || reading.kind === 'confirmation'
  const unanswered = isUnanswered(reading)
  // one unanswered attempt without a confirmation may be our own loss, and is no sign of a spell
  const counts = confirmed || !unanswered
  const isRunOn = goesOn && (!suspect.unanswered || suspect.confirmed)
  const runSinceMs = isRunOn ? suspect.sinceMs : null
  const spell = counts
    ? nextSpell(
        held,
        { failed: true, measuredAt, notFailingAt: notFailingAt(before) },
        runSinceMs,
        intervalSeconds,
      )
    : held
  const { reason, latencyMs, timings } = reading
  return {
    ...rest,
    ...(spell !== undefined && { spell }),
    suspect: {
      ...(goesOn
        ? { sinceMs: suspect.sinceMs, heardAtMs: suspect.heardAtMs ?? suspect.sinceMs }
        : { sinceMs: measuredAt, heardAtMs: nowMs }),
      measuredAt,
      reason,
      latencyMs,
      timings,
      unanswered,
      confirmed,
      roundAtMs: roundOf(reading),
      ...failsAfter(goesOn ? (suspect.fails ?? 1) : 0, reading),
    },
  }
}

/** What the next reading that counts replaces. */
const passing = ['suspect', 'ignoredAt', 'spell', 'fails', 'slows', 'slowLatencyMs'] as const

/** The rest. Nearly all states have nothing else, and leaving members out costs several times as much as a copy. */
const lastingPart = (state: RegionState): RegionState => {
  if (passing.every((key) => state[key] === undefined)) return state
  const { suspect: _a, ignoredAt: _b, spell: _c, fails: _d, slows: _e, slowLatencyMs: _f, ...lasting } = state
  return lasting
}

/** @param isRemembered whether its failure and good readings before this one still count */
const measured = (
  before: RegionState,
  isRemembered: boolean,
  reading: ObservedReading,
  verdict: 'up' | 'down' | 'blocked',
  measuredAt: number,
  { intervalSeconds, statusRule }: Pick<CheckSchedule, 'intervalSeconds' | 'statusRule'>,
): RegionState => {
  const wasFailing = before.failing && isRemembered
  const goods = verdict === 'up' ? Math.min(goodsToRecover, (isRemembered ? before.goods : 0) + 1) : 0
  const isRunOn = before.verdict === 'down' && wasFailing
  const roundAtMs = roundOf(reading)
  const runSinceMs = isRunOn ? (before.failingSinceMs ?? null) : null
  const seen = { failed: verdict === 'down', measuredAt, notFailingAt: notFailingAt(before) }
  const spell = nextSpell(before.spell, seen, runSinceMs, intervalSeconds)
  const after: RegionState = {
    ...lastingPart(before),
    verdict,
    reason: reading.reason,
    latencyMs: reading.latencyMs,
    timings: reading.timings,
    measuredAt,
    goods,
    failing: verdict === 'down' || (wasFailing && verdict === 'up' && goods < goodsToRecover),
    withdrawnAt: null,
  }
  // added only where they say something: each spread of nothing costs as much as the copy
  if (spell !== undefined) after.spell = spell
  if (isKept(null, before)) after.withheldReason = null
  if ((roundAtMs ?? before.roundAtMs ?? null) !== null) after.roundAtMs = roundAtMs
  if (statusRule) Object.assign(after, slowRunAfter(statusRule, { ...reading, verdict }, before))
  if (verdict !== 'down') return after
  Object.assign(after, failsAfter(isRunOn ? (before.fails ?? 1) : 0, reading))
  return { ...after, failingSinceMs: runSinceMs ?? measuredAt, unanswered: isUnanswered(reading) }
}

const notFailingAt = ({ verdict, measuredAt }: RegionState): number | null =>
  verdict === null || verdict === 'down' ? null : measuredAt

/** Most states never have one, and are stored without it. */
const isKept = (withheldReason: string | null, { withheldReason: before }: RegionState): boolean =>
  withheldReason !== null || (before ?? null) !== null
