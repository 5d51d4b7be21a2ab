import type { SeriesPoint } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { slotsDueCount, type Revision } from '@probe-mesh/contracts/reading/slots'
import type { StoredCount, StoredPercentiles, StoredPoint } from './series-query.ts'

type SeriesParts = {
  checkId: string
  /** One region, or undefined for all regions of the revisions. */
  region?: Region | undefined
  /** Oldest first. */
  revisions: readonly Revision[]
  stored: {
    points: readonly StoredPoint[]
    percentiles: readonly StoredPercentiles[]
    /** The stored readings from `dueToMs` on, by step and region. */
    recent: readonly StoredCount[]
  }
  fromMs: number
  toMs: number
  stepMs: number
  /** Every slot in [dueFromMs, dueToMs) is due: it has not expired, and its reading would be stored. */
  dueFromMs: number
  dueToMs: number
}

const noCounts = { up: 0, down: 0, blocked: 0, unmeasured: 0 }
const noPercentiles = { p50Ms: null, p95Ms: null, p99Ms: null }

/**
 * Every step of [fromMs, toMs), including those without readings: silence is shown. A slot that is younger
 * than `dueToMs` is due once its reading is stored, and so is a stored slot that no revision expected. So
 * `due` is always `measured` plus `lost`, and a reading more in one region hides none that is missing in
 * another.
 */
export const seriesPoints = (parts: SeriesParts): SeriesPoint[] => {
  const { fromMs, toMs, stepMs, stored } = parts
  const points = Map.groupBy(stored.points, ({ atMs }) => atMs)
  const recent = Map.groupBy(stored.recent, ({ atMs }) => atMs)
  const percentiles = new Map(stored.percentiles.map((row) => [row.atMs, row]))
  const dueIn = dueCounter(parts)
  const steps = Math.ceil((toMs - fromMs) / stepMs)
  return Array.from({ length: steps }, (_, index) => {
    const atMs = fromMs + index * stepMs
    const ofRegions = points.get(atMs) ?? []
    const { up, down, blocked, unmeasured } = ofRegions.reduce(add, noCounts)
    const { p50Ms, p95Ms, p99Ms } = percentiles.get(atMs) ?? noPercentiles
    const measured = up + down + blocked + unmeasured
    const due = dueIn(atMs, atMs + stepMs)
    for (const { region, count } of recent.get(atMs) ?? []) due.set(region, (due.get(region) ?? 0) + count)
    const measuredIn = new Map(ofRegions.map((point) => [point.region, totalOf(point)]))
    const lost = [...due].reduce(
      (sum, [region, count]) => sum + Math.max(0, count - (measuredIn.get(region) ?? 0)),
      0,
    )
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
      due: measured + lost,
      measured,
      lost,
    }
  })
}

type Counts = typeof noCounts

const add = (sum: Counts, point: Counts): Counts => ({
  up: sum.up + point.up,
  down: sum.down + point.down,
  blocked: sum.blocked + point.blocked,
  unmeasured: sum.unmeasured + point.unmeasured,
})

const totalOf = ({ up, down, blocked, unmeasured }: Counts): number => up + down + blocked + unmeasured

/**
 * Counts the due slots of each region in steps in ascending order: it walks the revisions once, not once per
 * step.
 */
const dueCounter = (parts: SeriesParts): ((fromMs: number, toMs: number) => Map<Region, number>) => {
  const { checkId, revisions, dueFromMs, dueToMs } = parts
  const regions =
    parts.region === undefined
      ? [...new Set(revisions.flatMap((revision) => revision.regions))]
      : [parts.region]
  let first = 0
  return (stepFromMs, stepToMs) => {
    const fromMs = Math.max(stepFromMs, dueFromMs)
    const toMs = Math.min(stepToMs, dueToMs)
    if (fromMs >= toMs) return new Map()
    while ((revisions[first]?.validToMs ?? Number.POSITIVE_INFINITY) <= fromMs) first += 1
    let end = first
    while ((revisions[end]?.validFromMs ?? Number.POSITIVE_INFINITY) < toMs) end += 1
    const valid = revisions.slice(first, end)
    return new Map(regions.map((region) => [region, slotsDueCount(checkId, region, valid, fromMs, toMs)]))
  }
}
