import type { ReportRegion } from '@probe-mesh/contracts/outage/answers'
import type { ReportBatch, ReportCount } from './report-counts-store.ts'
import { quarterMs } from '../unusual-reports.ts'

/** Rows per statement. */
const rowsMax = 5_000
/** Limit of queued rows while Postgres is unavailable; reports beyond it are not stored. */
const countsMax = 100_000
/** Limit of queued quarters: ten days. The oldest is dropped first. */
const quartersMax = 960

/** Counts of this control plane that are not stored yet. */
export type Unwritten = {
  /** @returns false when the queue is full: this report is missing from later baselines */
  add(report: { slug: string; region: ReportRegion; atMs: number }): boolean
  /** Marks the quarter of this instant as counted. */
  pass(nowMs: number): void
  /** The next batch; the same one until `written` acknowledges it. Null when the queue is empty. */
  next(): ReportBatch | null
  written(batch: ReportBatch): void
  /** Queued rows. */
  size(): number
}

export const createUnwritten = (): Unwritten => {
  const counts = new Map<string, ReportCount>()
  const quarters = new Set<number>()
  let passed = Number.NaN
  let batch: ReportBatch | null = null
  let sequence = 0

  const cutBatch = (): ReportBatch | null => {
    if (counts.size === 0 && quarters.size === 0) return null
    const rows = counts.entries().take(rowsMax).toArray()
    for (const [key] of rows) counts.delete(key)
    sequence += 1
    const next = { sequence, quarters: [...quarters], counts: rows.map(([, count]) => count) }
    quarters.clear()
    return next
  }

  return {
    add: ({ slug, region, atMs }) => {
      const quarter = quarterAt(atMs)
      const key = `${quarter} ${region} ${slug}`
      const count = counts.get(key)
      if (count !== undefined) count.reports += 1
      else if (counts.size >= countsMax) return false
      else counts.set(key, { slug, region, quarterMs: quarter, reports: 1 })
      return true
    },
    pass: (nowMs) => {
      const quarter = quarterAt(nowMs)
      if (quarter === passed) return
      passed = quarter
      quarters.add(quarter)
      const [oldest] = quarters
      if (quarters.size > quartersMax && oldest !== undefined) quarters.delete(oldest)
    },
    next: () => (batch ??= cutBatch()),
    written: (done) => {
      if (batch === done) batch = null
    },
    size: () => counts.size + (batch?.counts.length ?? 0),
  }
}

const quarterAt = (atMs: number): number => atMs - (atMs % quarterMs)
