import { classifyAddress } from '@probe-mesh/contracts/target/address'
import { networkOf } from '@probe-mesh/contracts/target/network-of'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { isUnansweredCause } from '../unanswered.ts'

/** A run of failures of one check in one region without any answer of the target. Unix ms. */
export type Failure = {
  says: 'fails'
  /** The newest failure of the run. */
  measuredAt: number
  /** The network of the last connection; null if there never was one, or to a private address. */
  network: string | null
  /** The first failure of the run. */
  failingSince: number
  /** When another region last found the target well while this run lasted; null: never. */
  contradictedAt: number | null
  /** When one did so first. */
  contradictedFrom: number | null
  /** When another region first did so after the newest failure: it counts once a newer one comes. */
  answeredAt: number | null
}

/**
 * The last reading of a region for one check, as evidence about the region. `well`: up or refused;
 * `answered`: failed by its answer; in both cases the network of the region works. `offline`: the target
 * failed, and so did the agent's canaries. `nothing`: unmeasured for another reason, or failed by the probe's
 * own fault.
 */
export type HeldReading =
  | Failure
  | {
      says: 'well' | 'answered' | 'nothing' | 'offline'
      measuredAt: number
      network: string | null
    }

/** The reason that agents give while their canaries fail too. */
const offlineCause = 'probe_offline'

/** The newest reading of each region of a check. */
export type HeldReadings = ReadonlyMap<Region, HeldReading>

/**
 * Adds a reading; one that is not newer than its region's changes nothing. Another region contradicts a
 * failure if it measured between the first and the newest failure of the run, or in a confirmation of it. An
 * earlier reading is no evidence: some region sees an outage everywhere first. Nor is a later one: some
 * region sees its end last.
 */
export const holdReading = (held: HeldReadings, reading: Reading, nowMs: number): HeldReadings => {
  const { region } = reading
  const before = held.get(region)
  const measuredAt = Math.min(reading.measuredAt, nowMs)
  if (before !== undefined && measuredAt <= before.measuredAt) return held
  const others = [...held].filter(([other]) => other !== region)
  const next = new Map(others)
  const says = saysOf(reading)
  const network = publicNetworkOf(reading.address) ?? before?.network ?? null
  if (says === 'fails') return next.set(region, failureOf(before, others, measuredAt, network))
  next.set(region, { says, measuredAt, network })
  if (says !== 'well') return next
  const wasAsked = reading.kind === 'confirmation'
  for (const [other, failure] of others) {
    if (failure.says !== 'fails' || measuredAt < failure.failingSince) continue
    next.set(other, contradict(failure, measuredAt, wasAsked))
  }
  return next
}

const failureOf = (
  before: HeldReading | undefined,
  others: readonly [Region, HeldReading][],
  measuredAt: number,
  network: string | null,
): Failure => {
  const run = before?.says === 'fails' ? before : null
  const failingSince = run?.failingSince ?? measuredAt
  const seenWell = others.flatMap(([, other]) => (other.says === 'well' ? [other.measuredAt] : []))
  if (run !== null && run.answeredAt !== null) seenWell.push(run.answeredAt)
  const during = seenWell.filter((at) => failingSince <= at && at <= measuredAt)
  const after = seenWell.filter((at) => at > measuredAt)
  return {
    says: 'fails',
    measuredAt,
    network,
    failingSince,
    contradictedAt: during.length > 0 ? Math.max(...during) : (run?.contradictedAt ?? null),
    contradictedFrom: run?.contradictedFrom ?? (during.length > 0 ? Math.min(...during) : null),
    answeredAt: after.length > 0 ? Math.min(...after) : null,
  }
}

const contradict = (failure: Failure, wellAt: number, wasAsked: boolean): Failure =>
  wasAsked || wellAt <= failure.measuredAt
    ? {
        ...failure,
        contradictedAt: Math.max(failure.contradictedAt ?? wellAt, wellAt),
        contradictedFrom: failure.contradictedFrom ?? wellAt,
      }
    : { ...failure, answeredAt: Math.min(failure.answeredAt ?? wellAt, wellAt) }

/** A region that got an answer, even an error or a refusal, reached the target: its network works. */
const saysOf = (reading: Reading): HeldReading['says'] => {
  const { verdict, fault, cause } = reading
  switch (verdict) {
    case 'up':
    case 'blocked':
      return 'well'
    case 'down':
      if (fault !== 'target' && fault !== 'network') return 'nothing'
      return isUnansweredCause(cause) ? 'fails' : 'answered'
    case 'unmeasured':
      return cause === offlineCause ? 'offline' : 'nothing'
    default:
      return verdict satisfies never
  }
}

/** Private addresses belong to the operator: hosts there share machines without a common owner. */
const publicNetworkOf = (address: string | null): string | null =>
  address !== null && classifyAddress(address).allowed ? networkOf(address) : null
