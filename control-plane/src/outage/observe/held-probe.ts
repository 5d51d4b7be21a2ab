import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { pacedReadings } from '../plate.ts'
import type { ProbeReading } from '../region-reading.ts'
import { isUnanswered } from '../../status/unanswered.ts'

/** What is taken of a reading; all else of it answers nothing. */
export type SeenReading = Pick<
  Reading,
  'checkId' | 'region' | 'verdict' | 'reason' | 'latencyMs' | 'measuredAt' | 'details'
> &
  /** Absent where it was read from the store. */
  Partial<Pick<Reading, 'cause' | 'kind' | 'slot'>>

/** A value and the reading that it was last noted by. Times are Unix milliseconds. */
type Noted<T> = { at: number; value: T }
type Pace = { at: number; latencyMs: number }

/**
 * What is held of one probe of a service in one region. It follows from the set of readings that
 * were seen: neither the order in which they came nor how often changes anything.
 */
export type HeldProbe = {
  newest: ProbeReading
  /** When the newest good reading was measured; -Infinity where none was. */
  goodAt: number
  /** That reading; null where none was. */
  good: ProbeReading | null
  /** When it last failed although it was asked again; -Infinity where it never did. */
  failedAgainAt: number
  /** Failing readings since then, ascending: the first and the newest of them. */
  failingAts: readonly number[]
  /** The newest good readings, newest first. */
  paces: readonly Pace[]
  /** The CDN that answered; null where the newest good answer named none. */
  cdn: Noted<string | null> | null
  nameServers: Noted<readonly string[]> | null
}

/** Failing readings whose order of arrival may be any. */
export const failingAtsMax = 8

/**
 * Takes a reading into account.
 * @returns the same object where it changes nothing: one that is `unmeasured`, seen before, or
 * older than all that is held
 */
export const holdReading = (held: HeldProbe | null, reading: SeenReading): HeldProbe | null => {
  const { verdict, reason, latencyMs, measuredAt } = reading
  if (verdict === 'unmeasured') return held
  const isAnswer = reading.kind === 'confirmation'
  // what was read from the store has been there for a while
  const wasAsked = isAnswer || reading.kind === undefined
  const { cause = '' } = reading
  const seen: ProbeReading = {
    verdict,
    reason,
    latencyMs,
    measuredAt,
    ...(verdict === 'up' ? {} : failureOf(reading)),
    ...(isUnanswered({ verdict, cause }) && { unanswered: true }),
    ...(verdict === 'down' && isAnswer && reading.slot !== undefined && { roundAtMs: reading.slot }),
  }
  const goodAt = Math.max(held?.goodAt ?? -Infinity, verdict === 'up' ? measuredAt : -Infinity)
  const next: HeldProbe = {
    newest: newerOf(held?.newest ?? null, seen),
    goodAt,
    good: verdict === 'up' ? newerOf(held?.good ?? null, seen) : (held?.good ?? null),
    failedAgainAt: Math.max(
      held?.failedAgainAt ?? -Infinity,
      verdict === 'down' && wasAsked ? measuredAt : -Infinity,
    ),
    failingAts: failingSince(held?.failingAts ?? [], verdict === 'down' ? measuredAt : null, goodAt),
    paces: withPace(held?.paces ?? [], seen),
    cdn: laterOf(held?.cdn ?? null, cdnOf(reading)),
    nameServers: laterOf(held?.nameServers ?? null, nameServersOf(reading)),
  }
  return held !== null && isSame(held, next) ? held : next
}

const failureOf = ({ cause, details }: SeenReading): Pick<ProbeReading, 'cause' | 'mark'> => {
  const mark = httpDetails(details)?.cdn ?? null
  return { ...(cause === undefined ? {} : { cause }), ...(mark === null ? {} : { mark }) }
}

/** Since when the probe fails without a good reading in between; null where it does not fail. */
export const failingSinceMs = ({ newest, failingAts }: HeldProbe): number | null =>
  newest.verdict === 'down' ? (failingAts[0] ?? newest.measuredAt) : null

/**
 * What speaks for the probe: its newest reading, but one failure that was not asked again accuses nobody, so
 * that the last good reading goes on to speak.
 */
export const speakerOf = (held: HeldProbe): ProbeReading => {
  const { newest, good, failingAts } = held
  if (newest.verdict !== 'down') return newest
  return good !== null && isSuspect(held)
    ? good
    : { ...newest, failingSinceMs: failingAts[0] ?? newest.measuredAt }
}

/** Whether it failed once since it was good, and was not asked again. */
export const isSuspect = ({ newest, good, goodAt, failingAts, failedAgainAt }: HeldProbe): boolean =>
  newest.verdict === 'down' && good !== null && failingAts.length < 2 && failedAgainAt < goodAt

const newerOf = (held: ProbeReading | null, seen: ProbeReading): ProbeReading =>
  held === null || compareReadings(seen, held) > 0 ? seen : held

const verdictOrder = ['blocked', 'up', 'down']

/** By time. Of two of one instant it does not matter which counts, but it must always be the same. */
const compareReadings = (a: ProbeReading, b: ProbeReading): number =>
  a.measuredAt - b.measuredAt ||
  verdictOrder.indexOf(a.verdict) - verdictOrder.indexOf(b.verdict) ||
  (a.latencyMs ?? -1) - (b.latencyMs ?? -1) ||
  compareTexts(a.reason, b.reason) ||
  compareTexts(a.cause, b.cause) ||
  compareTexts(a.mark, b.mark)

const compareTexts = (a: string | null | undefined, b: string | null | undefined): number =>
  (a ?? '') > (b ?? '') ? 1 : (a ?? '') === (b ?? '') ? 0 : -1

const failingSince = (
  failingAts: readonly number[],
  failedAt: number | null,
  goodAt: number,
): readonly number[] => {
  const ats = new Set(failedAt === null ? failingAts : [...failingAts, failedAt])
  const left = [...ats].filter((at) => at > goodAt).toSorted((a, b) => a - b)
  const kept = left.length <= failingAtsMax ? left : left.toSpliced(1, 1)
  const isSame = kept.length === failingAts.length && kept.every((at, k) => at === failingAts[k])
  return isSame ? failingAts : kept
}

const withPace = (paces: readonly Pace[], seen: ProbeReading): readonly Pace[] => {
  const { verdict, latencyMs, measuredAt: at } = seen
  if (verdict !== 'up' || latencyMs === null) return paces
  const known = paces.find((pace) => pace.at === at)
  if (known !== undefined && known.latencyMs >= latencyMs) return paces
  const last = paces.at(-1)
  if (paces.length === pacedReadings && last !== undefined && last.at > at) return paces
  return [...paces.filter((pace) => pace !== known), { at, latencyMs }]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, pacedReadings)
}

const httpDetails = (details: ReadingDetails | null | undefined) =>
  details?.type === 'http' ? details : null

/** That none is named says something only of an answer that is good. */
const cdnOf = ({ details, verdict, measuredAt }: SeenReading): HeldProbe['cdn'] => {
  const noted = httpDetails(details)
  if (noted === null || (noted.cdn === null && verdict !== 'up')) return null
  return { at: measuredAt, value: noted.cdn }
}

const nameServersOf = ({ details, measuredAt }: SeenReading): HeldProbe['nameServers'] => {
  const value = httpDetails(details)?.nameServers ?? []
  return value.length === 0 ? null : { at: measuredAt, value }
}

const laterOf = <T>(held: Noted<T> | null, seen: Noted<T> | null): Noted<T> | null => {
  if (held === null || seen === null) return held ?? seen
  if (held.at !== seen.at) return held.at > seen.at ? held : seen
  return JSON.stringify(held.value) >= JSON.stringify(seen.value) ? held : seen
}

const isSame = (a: HeldProbe, b: HeldProbe): boolean =>
  a.newest === b.newest &&
  a.goodAt === b.goodAt &&
  a.good === b.good &&
  a.failedAgainAt === b.failedAgainAt &&
  a.failingAts === b.failingAts &&
  a.paces === b.paces &&
  a.cdn === b.cdn &&
  a.nameServers === b.nameServers
