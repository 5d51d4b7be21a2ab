import {
  fullStatusReason,
  type Check,
  type CheckDetail,
  type RegionStatus,
  type StoredReading,
} from '@probe-mesh/contracts/check/check'
import type { CheckRow as ListedCheck } from '@probe-mesh/contracts/check/check-row'
import { uptimeOfAge } from '@probe-mesh/contracts/check/uptime-by-age'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { Flip } from '@probe-mesh/contracts/mesh/events'
import { staleAfterMsOf } from './freshness.ts'
import { pointsMax, type CheckRow, type Point, type RegionResult } from './state.ts'

const newRow = (check: Check): CheckRow => ({
  ...definitionOf(check),
  status: check.status,
  statusReason: null,
  statusSinceMs: null,
  flipAtMs: 0,
  flipReceivedMs: 0,
  staleAfterMs: staleAfterMsOf(check.intervalSeconds),
  isMaintained: false,
  trend: [],
  results: {},
  points: [],
  uptime: null,
  heartbeat: null,
  detailedMs: null,
})

const definitionOf = (check: Check) => ({
  id: check.id,
  name: check.name,
  type: check.type,
  target: check.url ?? check.target,
  intervalSeconds: check.intervalSeconds,
  regions: check.type === 'heartbeat' ? [] : check.regions,
  paused: check.paused,
})

/** What the list and the details both have. */
type Known = Check &
  Pick<CheckDetail, 'statusSince' | 'statusReason' | 'staleAfterSeconds'> & {
    regionStatuses: readonly (Omit<RegionStatus, 'timings'> & Partial<Pick<RegionStatus, 'timings'>>)[]
  }

/** A row updated from the list. A longer reason of the details stays as long as the status does. */
export const withListed = (row: CheckRow | undefined, check: ListedCheck, requestedMs: number): CheckRow => {
  const before = row ?? newRow(check)
  const next = withKnown(before, check, check.statusReason, requestedMs)
  const isSame = next.status === before.status && next.statusSinceMs === before.statusSinceMs
  const hasMore = isSame && before.statusReason?.startsWith(check.statusReason ?? '') === true
  return {
    ...next,
    statusReason: hasMore ? before.statusReason : next.statusReason,
    isMaintained: check.maintenance,
    trend: check.trend,
  }
}

/** A row updated from what is known at an instant; newer results and flips stay. */
const withKnown = (before: CheckRow, known: Known, reason: string | null, requestedMs: number): CheckRow => {
  const sinceMs = known.statusSince === null ? null : Date.parse(known.statusSince)
  const isOlder = requestedMs < before.flipReceivedMs && (sinceMs ?? 0) < before.flipAtMs
  const results = { ...before.results }
  for (const reported of known.regionStatuses) {
    const last = results[reported.region]
    const next = resultOfStatus(reported, last)
    if (next !== null && (last === undefined || next.measuredAtMs >= last.measuredAtMs)) {
      results[reported.region] = next
    }
  }
  return {
    ...before,
    ...definitionOf(known),
    ...(isOlder
      ? {}
      : {
          status: known.status,
          statusReason: reason,
          statusSinceMs: sinceMs,
          flipAtMs: Math.max(before.flipAtMs, sinceMs ?? 0),
        }),
    staleAfterMs: known.staleAfterSeconds * 1000,
    results,
  }
}

/** A row updated from details; newer results stay, region by region. */
export const withDetail = (row: CheckRow, detail: CheckDetail, requestedMs: number): CheckRow => {
  if (row.detailedMs !== null && requestedMs < row.detailedMs) return row
  return {
    ...withKnown(row, detail, fullStatusReason(detail), requestedMs),
    uptime: uptimeOfAge(detail.uptime, detail.createdAt, requestedMs),
    heartbeat: detail.heartbeat ?? null,
    detailedMs: requestedMs,
  }
}

/** The list has no phases: those of the same reading stay. */
const resultOfStatus = (
  reported: Known['regionStatuses'][number],
  last: RegionResult | undefined,
): RegionResult | null => {
  const { verdict, reason, latencyMs, measuredAt, fresh } = reported
  if (verdict === null || verdict === 'unmeasured' || measuredAt === null) return null
  const measuredAtMs = Date.parse(measuredAt)
  const timings = reported.timings ?? (last?.measuredAtMs === measuredAtMs ? last.timings : noTimings)
  return { verdict, reason, latencyMs, timings, measuredAtMs, counts: fresh }
}

/** A row updated from a flip; an older flip changes nothing. */
export const withFlip = (row: CheckRow, flip: Flip, nowMs: number): CheckRow => {
  const atMs = Date.parse(flip.at)
  if (atMs < row.flipAtMs) return row
  return {
    ...row,
    status: flip.to,
    statusReason: flip.reason,
    statusSinceMs: atMs,
    flipAtMs: atMs,
    flipReceivedMs: nowMs,
  }
}

/** A row updated from a reading: its region's result if newer, and its latency point. */
export const withReading = (row: CheckRow, reading: StoredReading): CheckRow => {
  const { region, verdict, reason, latencyMs, timings } = reading
  // not evidence: it neither ages nor renews anything
  if (verdict === 'unmeasured') return row
  const measuredAtMs = Date.parse(reading.measuredAt)
  const known = row.results[region]
  const isNewer = known === undefined || measuredAtMs > known.measuredAtMs
  const next: RegionResult = { verdict, reason, latencyMs, timings, measuredAtMs, counts: true }
  const points =
    reading.kind === 'scheduled'
      ? withPoint(row.points, { slotMs: Date.parse(reading.slot), region, verdict, latencyMs })
      : row.points
  const results = isNewer ? { ...row.results, [region]: next } : row.results
  return results === row.results && points === row.points ? row : { ...row, results, points }
}

/** In slot order; an existing slot stays, and the oldest are dropped. */
const withPoint = (points: readonly Point[], point: Point): readonly Point[] => {
  let at = points.length
  for (; at > 0; at--) {
    const before = points[at - 1]
    if (before === undefined || before.slotMs < point.slotMs) break
    if (before.slotMs === point.slotMs && before.region === point.region) return points
  }
  if (at === 0 && points.length >= pointsMax) return points
  return [...points.slice(0, at), point, ...points.slice(at)].slice(-pointsMax)
}
