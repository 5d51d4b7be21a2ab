import type { ReportRegion } from '@probe-mesh/contracts/outage/answers'
import type { ReportBatch, ReportCount } from './report-counts-store.ts'
import { quarterMs } from '../unusual-reports.ts'

/** Rows of a statement. */
const rowsMax = 5_000
/** Rows that may wait while Postgres is away; reports that would need another are not written. */
const countsMax = 100_000
/** Quarters that may wait to be marked as counted, ten days of them; the oldest is forgotten first. */
const quartersMax = 960

/** What this instance has counted and not written yet. */
export type Unwritten = {
  /** @returns false where nothing more may wait: this one is lost to what is usual later */
  add(report: { slug: string; region: ReportRegion; atMs: number }): boolean
  /** Reports are taken at this instant. */
  pass(nowMs: number): void
  /** What to write next: the same again until it is known to be written. Null: all is. */
  next(): ReportBatch | null
  written(batch: ReportBatch): void
  /** Rows that wait. */
  size(): number
}

export const createUnwritten = (): Unwritten => {
  const counts = new Map<string, ReportCount>()
  const quarters = new Set<number>()
  let passed = Number.NaN
  let batch: ReportBatch | null = null
  let sequence = 0

  const take = (): ReportBatch | null => {
    if (counts.size === 0 && quarters.size === 0) return null
    const rows = counts.entries().take(rowsMax).toArray()
    for (const [key] of rows) counts.delete(key)
    sequence += 1
    const taken = { sequence, quarters: [...quarters], counts: rows.map(([, count]) => count) }
    quarters.clear()
    return taken
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
    next: () => (batch ??= take()),
    written: (done) => {
      if (batch === done) batch = null
    },
    size: () => counts.size + (batch?.counts.length ?? 0),
  }
}

const quarterAt = (atMs: number): number => atMs - (atMs % quarterMs)
