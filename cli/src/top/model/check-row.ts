import type {
  Check,
  CheckDetail,
  RegionStatus,
  StoredReading,
} from '@probe-mesh/contracts/check/check'
import type { Flip } from '@probe-mesh/contracts/mesh/events'
import { fullStatusReason } from '@probe-mesh/contracts/check/status-reason'
import { staleAfterMsOf } from './freshness.ts'
import { pointsMax } from './state.ts'
import type { CheckRow, Point, Seen } from './state.ts'

const newRow = (check: Check): CheckRow => ({
  ...definitionOf(check),
  status: check.status,
  statusReason: null,
  statusSinceMs: null,
  flipAtMs: 0,
  flipToldMs: 0,
  staleAfterMs: staleAfterMsOf(check.intervalSeconds),
  seen: {},
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

/** A row by what the list says. @param askedMs what was told of a flip after that stays */
export const withListed = (row: CheckRow | undefined, check: Check, askedMs: number): CheckRow => {
  if (row === undefined) return newRow(check)
  const isOlder = askedMs < row.flipToldMs
  const hasChanged = !isOlder && check.status !== row.status
  return {
    ...row,
    ...definitionOf(check),
    ...(hasChanged ? { status: check.status, statusReason: null, statusSinceMs: null } : {}),
  }
}

/** A row by its details; what is known to be newer stays, region by region. */
export const withDetail = (
  row: CheckRow | undefined,
  detail: CheckDetail,
  askedMs: number,
): CheckRow => {
  const before = row ?? newRow(detail)
  if (before.detailedMs !== null && askedMs < before.detailedMs) return before
  const sinceMs = detail.statusSince === null ? null : Date.parse(detail.statusSince)
  const isOlder = askedMs < before.flipToldMs && (sinceMs ?? 0) < before.flipAtMs
  const seen = { ...before.seen }
  for (const told of detail.regionStatuses) {
    const known = seen[told.region]
    const next = seenOfStatus(told)
    if (next !== null && (known === undefined || next.measuredAtMs >= known.measuredAtMs)) {
      seen[told.region] = next
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
    seen,
    uptime: detail.uptime,
    heartbeat: detail.heartbeat ?? null,
    detailedMs: askedMs,
  }
}

const seenOfStatus = (told: RegionStatus): Seen | null => {
  const { verdict, reason, latencyMs, timings, measuredAt, fresh } = told
  if (verdict === null || verdict === 'unmeasured' || measuredAt === null) return null
  const measuredAtMs = Date.parse(measuredAt)
  return { verdict, reason, latencyMs, timings, measuredAtMs, counts: fresh }
}

/** A row by a status change; one that happened before what is known changes nothing. */
export const withFlip = (row: CheckRow, flip: Flip, nowMs: number): CheckRow => {
  const atMs = Date.parse(flip.at)
  if (atMs < row.flipAtMs) return row
  return {
    ...row,
    status: flip.to,
    statusReason: flip.reason,
    statusSinceMs: atMs,
    flipAtMs: atMs,
    flipToldMs: nowMs,
  }
}

/** A row by a reading: its region's newest where it is newer, and its place in the latency line. */
export const withReading = (row: CheckRow, reading: StoredReading): CheckRow => {
  const { region, verdict, reason, latencyMs, timings } = reading
  // no evidence at all: it neither ages nor renews anything
  if (verdict === 'unmeasured') return row
  const measuredAtMs = Date.parse(reading.measuredAt)
  const known = row.seen[region]
  const isNewer = known === undefined || measuredAtMs > known.measuredAtMs
  const next: Seen = { verdict, reason, latencyMs, timings, measuredAtMs, counts: true }
  const points =
    reading.kind === 'scheduled'
      ? withPoint(row.points, { slotMs: Date.parse(reading.slot), region, verdict, latencyMs })
      : row.points
  const seen = isNewer ? { ...row.seen, [region]: next } : row.seen
  return seen === row.seen && points === row.points ? row : { ...row, seen, points }
}

/** In the order of slots; a slot that is there already stays, and the oldest go. */
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
