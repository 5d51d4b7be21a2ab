import type { Region } from '@probe-mesh/contracts/regions'
import { staleAfterMs } from '../status/freshness.ts'
import type { Failure, HeldReading, HeldReadings } from './held-readings.ts'

/** Hosts named as examples of a failure. */
export const examplesMax = 10

/** A distinct host with what is held of its checks. */
export type WatchedHost = {
  host: string
  checks: readonly { intervalSeconds: number; held: HeldReadings }[]
}

/** What the hosts of a region say of it. */
export type Survey = {
  /** Distinct hosts that this region measured and another one measured as well. */
  hosts: number
  /** Those of them that fail here and nowhere else. */
  failing: number
  /** Some that fail, in order. */
  examples: string[]
  /** When the first of them failed here, at most two of its intervals ago; null where none does. */
  sinceMs: number | null
}

export const nothingSurveyed: Survey = { hosts: 0, failing: 0, examples: [], sinceMs: null }

/** What is held of a host, seen from one region. */
type HostThere = {
  /** By any of its checks. */
  well: boolean
  /** Since when a check of it fails here and nowhere else; null where none does. */
  aloneSinceMs: number | null
}

/**
 * Counts, for each region, the hosts that fail in it only (architecture.md "Status, honestly": "in
 * that region only"). Many checks of one host are one host, which is well where any of them is. A host
 * fails in a region only where a check of it does that another region contradicts and none shares, and
 * where no other region holds the whole host for failing: what fails elsewhere too is the target's
 * fault, also when two regions fail at once with the same hosts. A reading counts while it is fresh;
 * checks measured in one region only say nothing.
 */
export const surveyRegions = (hosts: Iterable<WatchedHost>, nowMs: number): Map<Region, Survey> => {
  const surveys = new Map<Region, Survey>()
  for (const { host, checks } of hosts) {
    const views = viewHost(checks, nowMs)
    let regionsFailing = 0
    for (const { well } of views.values()) if (!well) regionsFailing++
    for (const [region, there] of views) {
      const survey = surveys.get(region) ?? { ...nothingSurveyed, examples: [] }
      surveys.set(region, survey)
      survey.hosts++
      if (there.well || there.aloneSinceMs === null || regionsFailing > 1) continue
      survey.failing++
      survey.sinceMs = Math.min(survey.sinceMs ?? there.aloneSinceMs, there.aloneSinceMs)
      survey.examples.push(host)
    }
  }
  for (const survey of surveys.values()) {
    survey.examples = survey.examples.toSorted().slice(0, examplesMax)
  }
  return surveys
}

/** The regions that measured a check of the host which another one measured as well. */
const viewHost = (checks: WatchedHost['checks'], nowMs: number): Map<Region, HostThere> => {
  const views = new Map<Region, HostThere>()
  for (const { intervalSeconds, held } of checks) {
    const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
    const { heard, failing } = countHeard(held, freshFromMs)
    if (heard < 2) continue
    for (const [region, reading] of held) {
      if (!isHeard(reading, freshFromMs)) continue
      const there = views.get(region) ?? { well: false, aloneSinceMs: null }
      views.set(region, there)
      if (reading.says !== 'fails') there.well = true
      else if (failing === 1 && isContradicted(reading, freshFromMs)) {
        const sinceMs = Math.max(reading.failingSince, freshFromMs)
        there.aloneSinceMs = Math.min(there.aloneSinceMs ?? sinceMs, sinceMs)
      }
    }
  }
  return views
}

const countHeard = (
  held: HeldReadings,
  freshFromMs: number,
): { heard: number; failing: number } => {
  const counted = { heard: 0, failing: 0 }
  for (const reading of held.values()) {
    if (!isHeard(reading, freshFromMs)) continue
    counted.heard++
    if (reading.says === 'fails') counted.failing++
  }
  return counted
}

const isContradicted = ({ contradictedAt }: Failure, freshFromMs: number): boolean =>
  contradictedAt !== null && contradictedAt >= freshFromMs

const isHeard = ({ says, measuredAt }: HeldReading, freshFromMs: number): boolean =>
  says !== 'nothing' && measuredAt >= freshFromMs
