import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { comparedReadings } from '../plate.ts'
import type { ProbeReading } from '../region-reading.ts'
import { isUnanswered } from '../../status/unanswered.ts'

/** The fields of a reading that answers use. */
export type ObservedReading = Pick<
  Reading,
  'checkId' | 'region' | 'verdict' | 'reason' | 'latencyMs' | 'measuredAt' | 'details'
> &
  /** Absent if the reading comes from ClickHouse. */
  Partial<Pick<Reading, 'cause' | 'kind' | 'slot' | 'proven'>>

/** A value with its time of measurement, Unix milliseconds. */
type Timed<T> = { at: number; value: T }
type Latency = { at: number; latencyMs: number }

/**
 * The state of one probe in one region. It depends only on the set of readings: neither their order of
 * arrival nor duplicates change it.
 */
export type ProbeState = {
  newest: ProbeReading
  /** The time of the newest up reading; -Infinity without one. */
  goodAt: number
  /** The newest up reading; null without one. */
  good: ProbeReading | null
  /** The time of the newest confirmed failure; -Infinity without one. */
  confirmedDownAt: number
  /** The times of failures since `goodAt`, ascending: the first and the newest ones. */
  failureTimes: readonly number[]
  /** The latencies of the newest up readings, newest first. */
  latencies: readonly Latency[]
  /** The CDN that answered; its value is null if the newest up reading named none. */
  cdn: Timed<string | null> | null
  nameServers: Timed<readonly string[]> | null
}

/** The number of failures that may arrive in any order. */
export const failureTimesMax = 8

/**
 * Adds a reading to the state.
 * @returns the same object if nothing changed: the reading is `unmeasured`, a duplicate or too old
 */
export const addReading = (state: ProbeState | null, reading: ObservedReading): ProbeState | null => {
  const { verdict, measuredAt, kind } = reading
  if (verdict === 'unmeasured') return state
  const before = state ?? noReadings
  const seen = seenOf(reading, verdict)
  const isDown = verdict === 'down'
  // readings from ClickHouse are old enough to count as confirmed
  const isConfirmed = isDown && (kind === 'confirmation' || kind === undefined)
  const goodAt = verdict === 'up' ? Math.max(before.goodAt, measuredAt) : before.goodAt
  const next: ProbeState = {
    newest: newerOf(before.newest, seen),
    goodAt,
    good: verdict === 'up' ? newerOf(before.good, seen) : before.good,
    confirmedDownAt: isConfirmed ? Math.max(before.confirmedDownAt, measuredAt) : before.confirmedDownAt,
    failureTimes: failuresSince(before.failureTimes, isDown ? measuredAt : null, goodAt),
    latencies: withLatency(before.latencies, seen),
    cdn: laterOf(before.cdn, cdnOf(reading)),
    nameServers: laterOf(before.nameServers, nameServersOf(reading)),
  }
  return state !== null && isSame(state, next) ? state : next
}

const noReadings: Omit<ProbeState, 'newest'> & { newest: null } = {
  newest: null,
  goodAt: -Infinity,
  good: null,
  confirmedDownAt: -Infinity,
  failureTimes: [],
  latencies: [],
  cdn: null,
  nameServers: null,
}

const seenOf = (reading: ObservedReading, verdict: ProbeReading['verdict']): ProbeReading => {
  const { reason, latencyMs, measuredAt, cause = '', proven, kind, slot } = reading
  const hasRound = verdict === 'down' && kind === 'confirmation' && slot !== undefined
  return {
    verdict,
    reason,
    latencyMs,
    measuredAt,
    ...(verdict === 'up' ? {} : failureOf(reading)),
    ...(isUnanswered({ verdict, cause, proven }) && { unanswered: true }),
    ...(hasRound && { roundAtMs: slot }),
  }
}

const failureOf = ({ cause, details }: ObservedReading): Pick<ProbeReading, 'cause' | 'mark'> => {
  const mark = httpDetails(details)?.cdn ?? null
  return { ...(cause === undefined ? {} : { cause }), ...(mark === null ? {} : { mark }) }
}

/** Since when the probe fails without an up reading in between; null if it does not fail. */
export const failingSinceMs = ({ newest, failureTimes }: ProbeState): number | null =>
  newest.verdict === 'down' ? (failureTimes[0] ?? newest.measuredAt) : null

/**
 * The reading that counts for the probe: the newest one, or the last up reading while a single failure is
 * unconfirmed.
 */
export const effectiveReading = (state: ProbeState): ProbeReading => {
  const { newest, good, failureTimes } = state
  if (newest.verdict !== 'down') return newest
  return good !== null && isUnconfirmed(state)
    ? good
    : { ...newest, failingSinceMs: failureTimes[0] ?? newest.measuredAt }
}

/** Whether it failed once since it was last up, and the failure is not confirmed yet. */
export const isUnconfirmed = ({ newest, good, goodAt, failureTimes, confirmedDownAt }: ProbeState): boolean =>
  newest.verdict === 'down' && good !== null && failureTimes.length < 2 && confirmedDownAt < goodAt

const newerOf = (known: ProbeReading | null, seen: ProbeReading): ProbeReading =>
  known === null || compareReadings(seen, known) > 0 ? seen : known

const verdictOrder = ['blocked', 'up', 'down']

/** By time. Ties have an arbitrary but fixed order, so that the order of arrival does not matter. */
const compareReadings = (a: ProbeReading, b: ProbeReading): number =>
  a.measuredAt - b.measuredAt ||
  verdictOrder.indexOf(a.verdict) - verdictOrder.indexOf(b.verdict) ||
  (a.latencyMs ?? -1) - (b.latencyMs ?? -1) ||
  compareTexts(a.reason, b.reason) ||
  compareTexts(a.cause, b.cause) ||
  compareTexts(a.mark, b.mark)

const compareTexts = (a: string | null | undefined, b: string | null | undefined): number =>
  (a ?? '') > (b ?? '') ? 1 : (a ?? '') === (b ?? '') ? 0 : -1

const failuresSince = (
  failureTimes: readonly number[],
  failedAt: number | null,
  goodAt: number,
): readonly number[] => {
  const ats = new Set(failedAt === null ? failureTimes : [...failureTimes, failedAt])
  const left = [...ats].filter((at) => at > goodAt).toSorted((a, b) => a - b)
  const kept = left.length <= failureTimesMax ? left : left.toSpliced(1, 1)
  const isSame = kept.length === failureTimes.length && kept.every((at, k) => at === failureTimes[k])
  return isSame ? failureTimes : kept
}

const withLatency = (latencies: readonly Latency[], seen: ProbeReading): readonly Latency[] => {
  const { verdict, latencyMs, measuredAt: at } = seen
  if (verdict !== 'up' || latencyMs === null) return latencies
  const known = latencies.find((one) => one.at === at)
  if (known !== undefined && known.latencyMs >= latencyMs) return latencies
  const last = latencies.at(-1)
  if (latencies.length === comparedReadings && last !== undefined && last.at > at) return latencies
  return [...latencies.filter((one) => one !== known), { at, latencyMs }]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, comparedReadings)
}

const httpDetails = (details: ReadingDetails | null | undefined) =>
  details?.type === 'http' ? details : null

/** A missing CDN is only meaningful in an up reading. */
const cdnOf = ({ details, verdict, measuredAt }: ObservedReading): ProbeState['cdn'] => {
  const http = httpDetails(details)
  if (http === null || (http.cdn === null && verdict !== 'up')) return null
  return { at: measuredAt, value: http.cdn }
}

const nameServersOf = ({ details, measuredAt }: ObservedReading): ProbeState['nameServers'] => {
  const value = httpDetails(details)?.nameServers ?? []
  return value.length === 0 ? null : { at: measuredAt, value }
}

const laterOf = <T>(known: Timed<T> | null, seen: Timed<T> | null): Timed<T> | null => {
  if (known === null || seen === null) return known ?? seen
  if (known.at !== seen.at) return known.at > seen.at ? known : seen
  return JSON.stringify(known.value) >= JSON.stringify(seen.value) ? known : seen
}

const isSame = (a: ProbeState, b: ProbeState): boolean =>
  a.newest === b.newest &&
  a.goodAt === b.goodAt &&
  a.good === b.good &&
  a.confirmedDownAt === b.confirmedDownAt &&
  a.failureTimes === b.failureTimes &&
  a.latencies === b.latencies &&
  a.cdn === b.cdn &&
  a.nameServers === b.nameServers
