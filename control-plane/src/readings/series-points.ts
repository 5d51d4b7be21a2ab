import type { SeriesPoint } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { StoredPercentiles, StoredPoint } from './series-query.ts'

type SeriesParts = {
  checkId: string
  /** One region, or undefined for all regions of the revisions. */
  region?: Region | undefined
  /** Oldest first. */
  revisions: readonly Revision[]
  stored: { points: readonly StoredPoint[]; percentiles: readonly StoredPercentiles[] }
  fromMs: number
  toMs: number
  stepMs: number
  /** Slots count as due in [dueFromMs, dueToMs): not yet expired, and old enough to be stored. */
  dueFromMs: number
  dueToMs: number
}

const noCounts = { up: 0, down: 0, blocked: 0, unmeasured: 0 }
const noPercentiles = { p50Ms: null, p95Ms: null, p99Ms: null }

/** Every step of [fromMs, toMs), including those without readings: silence is shown. */
export const seriesPoints = (parts: SeriesParts): SeriesPoint[] => {
  const { fromMs, toMs, stepMs } = parts
  const counts = sumByStep(parts.stored.points)
  const percentiles = new Map(parts.stored.percentiles.map((row) => [row.atMs, row]))
  const dueIn = dueCounter(parts)
  const steps = Math.ceil((toMs - fromMs) / stepMs)
  return Array.from({ length: steps }, (_, index) => {
    const atMs = fromMs + index * stepMs
    const { up, down, blocked, unmeasured } = counts.get(atMs) ?? noCounts
    const { p50Ms, p95Ms, p99Ms } = percentiles.get(atMs) ?? noPercentiles
    const due = dueIn(atMs, atMs + stepMs)
    const measured = up + down + blocked + unmeasured
    return {
      at: new Date(atMs).toISOString(),
      p50Ms,
      p95Ms,
      p99Ms,
      availability: up + down === 0 ? null : Math.round((up / (up + down)) * 1e6) / 1e6,
      up,
      down,
      blocked,
      unmeasured,
      due,
      measured,
      lost: Math.max(0, due - measured),
    }
  })
}

const sumByStep = (points: readonly StoredPoint[]): Map<number, typeof noCounts> => {
  const sums = new Map<number, typeof noCounts>()
  for (const point of points) {
    const sum = sums.get(point.atMs) ?? noCounts
    sums.set(point.atMs, {
      up: sum.up + point.up,
      down: sum.down + point.down,
      blocked: sum.blocked + point.blocked,
      unmeasured: sum.unmeasured + point.unmeasured,
    })
  }
  return sums
}

/** Counts the due slots of steps in ascending order: it walks the revisions once, not once per step. */
const dueCounter = (parts: SeriesParts): ((fromMs: number, toMs: number) => number) => {
  const { checkId, revisions, dueFromMs, dueToMs } = parts
  const regions =
    parts.region === undefined
      ? [...new Set(revisions.flatMap((revision) => revision.regions))]
      : [parts.region]
  let first = 0
  return (stepFromMs, stepToMs) => {
    const fromMs = Math.max(stepFromMs, dueFromMs)
    const toMs = Math.min(stepToMs, dueToMs)
    if (fromMs >= toMs) return 0
    while ((revisions[first]?.validToMs ?? Number.POSITIVE_INFINITY) <= fromMs) first += 1
    let end = first
    while ((revisions[end]?.validFromMs ?? Number.POSITIVE_INFINITY) < toMs) end += 1
    const valid = revisions.slice(first, end)
    return regions.reduce((due, region) => due + slotsDueCount(checkId, region, valid, fromMs, toMs), 0)
  }
}
