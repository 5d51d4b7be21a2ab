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
  const { suspect = null, ignoredAt = 0, ...known } = before
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
    : measured(
        { ...known, failing: wasFailing, goods: isRemembered ? known.goods : 0 },
        { ...reading, verdict },
        measuredAt,
        schedule,
      )
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

const measured = (
  { spell: held, fails: failsBefore = 1, slows = 0, slowLatencyMs, ...before }: RegionState,
  reading: ObservedReading & { verdict: 'up' | 'down' | 'blocked' },
  measuredAt: number,
  { intervalSeconds, statusRule }: Pick<CheckSchedule, 'intervalSeconds' | 'statusRule'>,
): RegionState => {
  const { verdict } = reading
  const isGood = verdict === 'up'
  const goods = isGood ? Math.min(goodsToRecover, before.goods + 1) : 0
  const isRunOn = before.verdict === 'down' && before.failing
  const roundAtMs = roundOf(reading)
  const runSinceMs = isRunOn ? (before.failingSinceMs ?? null) : null
  const seen = { failed: verdict === 'down', measuredAt, notFailingAt: notFailingAt(before) }
  const spell = nextSpell(held, seen, runSinceMs, intervalSeconds)
  return {
    ...before,
    ...(spell !== undefined && { spell }),
    verdict,
    reason: reading.reason,
    latencyMs: reading.latencyMs,
    timings: reading.timings,
    measuredAt,
    goods,
    failing: verdict === 'down' || (before.failing && isGood && goods < goodsToRecover),
    withdrawnAt: null,
    ...(isKept(null, before) && { withheldReason: null }),
    ...((roundAtMs ?? before.roundAtMs ?? null) !== null && { roundAtMs }),
    ...slowRunAfter(statusRule, reading, {
      latencyMs: before.latencyMs,
      slows,
      ...(slowLatencyMs !== undefined && { slowLatencyMs }),
    }),
    ...(verdict === 'down' && {
      ...failsAfter(isRunOn ? failsBefore : 0, reading),
      failingSinceMs: (isRunOn ? before.failingSinceMs : null) ?? measuredAt,
      unanswered: isUnanswered(reading),
    }),
  }
}

const notFailingAt = ({ verdict, measuredAt }: RegionState): number | null =>
  verdict === null || verdict === 'down' ? null : measuredAt

/** Most states never have one, and are stored without it. */
const isKept = (withheldReason: string | null, { withheldReason: before }: RegionState): boolean =>
  withheldReason !== null || (before ?? null) !== null
