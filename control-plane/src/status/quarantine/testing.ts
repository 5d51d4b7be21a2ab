import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { unansweredAt as readingAt } from '../testing.ts'
import { holdReading, type HeldReadings } from './held-readings.ts'
import { surveyRegions, type Survey, type WatchedHost } from './survey.ts'
import type { Owner } from './tally.ts'

const catalog: Owner = { kind: 'catalog' }

/**
 * The evidence of each host, one check per host, from readings in order of arrival. Each host is a separate
 * site.
 */
export const watchHosts = (intervalSeconds: number, ownerOf: (host: string) => Owner = () => catalog) => {
  const held = new Map<string, HeldReadings>()
  const hosts = (): WatchedHost[] =>
    [...held].map(([host, readings]) => ({
      host,
      owner: ownerOf(host),
      site: host,
      checks: [{ intervalSeconds, held: readings }],
    }))
  return {
    hosts,
    heldOf: (host: string): HeldReadings => held.get(host) ?? new Map(),
    take: (host: string, reading: Reading, nowMs: number = reading.measuredAt): void => {
      held.set(host, holdReading(held.get(host) ?? new Map(), reading, nowMs))
    },
    survey: (nowMs: number): Map<Region, Survey> => surveyRegions(hosts(), nowMs),
  }
}

/** A mesh that measures hosts at their slots and confirms a first failure in the other regions. */
export type Mesh = {
  regions: readonly Region[]
  intervalSeconds: number
  /** By host, then region: the offset of its slot within the interval, ms. */
  phases: readonly (readonly number[])[]
  /** Whether failures are confirmed in other regions. */
  asks: boolean
  /** Whether the target answers a probe at this place and time. */
  answers: (host: number, region: Region, atMs: number) => boolean
}

type Arrival = { atMs: number; host: number; reading: Reading }

/**
 * Runs a mesh from 0 to `untilMs` and surveys it every second. A failure arrives only after two attempts have
 * timed out.
 */
export const surveyMesh = (
  mesh: Mesh,
  untilMs: number,
  look: (surveys: Map<Region, Survey>, nowMs: number) => void,
): void => {
  const { regions, intervalSeconds, phases } = mesh
  const attemptMs = attemptDeadlineMs(intervalSeconds)
  const watch = watchHosts(intervalSeconds)
  const arrivals: Arrival[] = []
  const measure = (host: number, region: Region, atMs: number, kind: Reading['kind']): void => {
    const isUp = mesh.answers(host, region, atMs)
    const measuredAt = isUp ? atMs : atMs + attemptMs
    const verdict = isUp || mesh.answers(host, region, measuredAt) ? 'up' : 'down'
    const arrivesAt = verdict === 'up' ? measuredAt + 100 : measuredAt + attemptMs
    const reading = readingAt(region, verdict, measuredAt, { kind })
    arrivals.push({ atMs: arrivesAt, host, reading })
  }
  const take = ({ atMs, host, reading }: Arrival): void => {
    const name = `host-${host}`
    const before = watch.heldOf(name)
    const isFirst = [...before.values()].every(({ says }) => says !== 'fails')
    watch.take(name, reading, atMs)
    if (!mesh.asks || reading.verdict !== 'down' || reading.kind !== 'scheduled' || !isFirst) return
    for (const region of regions) {
      if (region !== reading.region) measure(host, region, atMs, 'confirmation')
    }
  }
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 1_000) {
    for (const [host, instants] of phases.entries()) {
      for (const [index, region] of regions.entries()) {
        const sinceSlotMs = (nowMs - (instants[index] ?? 0)) % (intervalSeconds * 1_000)
        if (sinceSlotMs >= 0 && sinceSlotMs < 1_000) measure(host, region, nowMs, 'scheduled')
      }
    }
    const due = arrivals.filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs)
    const waiting = arrivals.filter(({ atMs }) => atMs > nowMs)
    arrivals.splice(0, arrivals.length, ...waiting)
    for (const arrival of due) take(arrival)
    look(watch.survey(nowMs), nowMs)
  }
}
