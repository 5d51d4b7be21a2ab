import type { Check, CheckDetail, RegionStatus, StoredReading } from '@probe-mesh/contracts/check/check'
import type { Flip } from '@probe-mesh/contracts/mesh/events'
import { fullStatusReason } from '@probe-mesh/contracts/check/check'
import { staleAfterMsOf } from './freshness.ts'
import { pointsMax } from './state.ts'
import type { CheckRow, Point, RegionResult } from './state.ts'

const newRow = (check: Check): CheckRow => ({
  ...definitionOf(check),
  status: check.status,
  statusReason: null,
  statusSinceMs: null,
  flipAtMs: 0,
  flipReceivedMs: 0,
  staleAfterMs: staleAfterMsOf(check.intervalSeconds),
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

/** A row updated from the list. @param requestedMs a flip that was received later stays */
export const withListed = (row: CheckRow | undefined, check: Check, requestedMs: number): CheckRow => {
  if (row === undefined) return newRow(check)
  const isOlder = requestedMs < row.flipReceivedMs
  const hasChanged = !isOlder && check.status !== row.status
  return {
    ...row,
    ...definitionOf(check),
    ...(hasChanged ? { status: check.status, statusReason: null, statusSinceMs: null } : {}),
  }
}

/** A row updated from details; newer results stay, region by region. */
export const withDetail = (row: CheckRow | undefined, detail: CheckDetail, requestedMs: number): CheckRow => {
  const before = row ?? newRow(detail)
  if (before.detailedMs !== null && requestedMs < before.detailedMs) return before
  const sinceMs = detail.statusSince === null ? null : Date.parse(detail.statusSince)
  const isOlder = requestedMs < before.flipReceivedMs && (sinceMs ?? 0) < before.flipAtMs
  const results = { ...before.results }
  for (const reported of detail.regionStatuses) {
    const known = results[reported.region]
    const next = resultOfStatus(reported)
    if (next !== null && (known === undefined || next.measuredAtMs >= known.measuredAtMs)) {
      results[reported.region] = next
    }
  }
  return {
    ...before,
    ...definitionOf(detail),
    ...(isOlder
      ? {}
      : {
          status: detail.status,
          statusReason: fullStatusReason(detail),
          statusSinceMs: sinceMs,
          flipAtMs: Math.max(before.flipAtMs, sinceMs ?? 0),
        }),
    staleAfterMs: detail.staleAfterSeconds * 1000,
    results,
    uptime: detail.uptime,
    heartbeat: detail.heartbeat ?? null,
    detailedMs: requestedMs,
  }
}

const resultOfStatus = (reported: RegionStatus): RegionResult | null => {
  const { verdict, reason, latencyMs, timings, measuredAt, fresh } = reported
  if (verdict === null || verdict === 'unmeasured' || measuredAt === null) return null
  const measuredAtMs = Date.parse(measuredAt)
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
