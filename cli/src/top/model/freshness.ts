import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import type { CheckStatus, RegionStatusName } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckRow, Seen, TopState } from './state.ts'

/** What batching, the bus and the assessor may take, as the control plane counts it. */
const deliveryMs = 5_000

/** How long a reading stays fresh, of a check whose details are not known: the control plane's rule. */
export const staleAfterMsOf = (intervalSeconds: number): number =>
  2 * intervalSeconds * 1000 + 2 * attemptDeadlineMs(intervalSeconds) + deliveryMs

/** "A no-data answer is never a healthy answer": nothing counts but a recent reading. */
export const isFresh = (seen: Seen, staleAfterMs: number, nowMs: number): boolean => {
  const ageMs = nowMs - seen.measuredAtMs
  return seen.counts && ageMs <= staleAfterMs && ageMs >= -limits.clockSkewMsMax
}

/** What a region shows now; null: the check is not measured from there. */
export const shownRegion = (
  row: CheckRow,
  region: Region,
  nowMs: number,
): RegionStatusName | null => {
  if (!row.regions.includes(region)) return null
  const seen = row.seen[region]
  if (seen === undefined) return 'unknown'
  return isFresh(seen, row.staleAfterMs, nowMs) ? seen.verdict : 'stale'
}

export type ShownStatus = CheckStatus | 'paused'

/**
 * What a check shows now. It is what the API said, unless time has passed over it: no region is
 * fresh any more, or nobody was there to tell of a change for as long as a reading counts.
 * @param nowMs by the API's clock
 */
export const shownStatus = (row: CheckRow, heldMs: number, nowMs: number): ShownStatus => {
  if (row.paused) return 'paused'
  const isHeld = nowMs - heldMs <= row.staleAfterMs
  if (!isHeld) return row.status === 'unknown' ? 'unknown' : 'stale'
  const known = row.regions.flatMap((region) => row.seen[region] ?? [])
  const isSilent = known.length > 0 && !known.some((one) => isFresh(one, row.staleAfterMs, nowMs))
  // regions of which nothing is known yet may well report to the API
  const isWhole = row.detailedMs !== null || known.length === row.regions.length
  return isSilent && isWhole ? 'stale' : row.status
}

/** Until when what the list says is known to hold, by the API's clock. */
export const heldUntilMs = (state: TopState, nowMs: number): number => {
  const { connectedMs, state: stream } = state.connection
  const isTold =
    stream === 'connected' &&
    state.listedMs !== null &&
    connectedMs !== null &&
    state.listedMs >= connectedMs
  return isTold ? nowMs : state.heldMs + state.skewMs
}

/** The median latency of what is fresh and up, or of the region in focus; null where there is none. */
export const shownLatencyMs = (
  row: CheckRow,
  focus: Region | null,
  nowMs: number,
): number | null => {
  const latencies = row.regions.flatMap((region) => {
    const seen = row.seen[region]
    const isShown = focus === null || focus === region
    if (seen === undefined || !isShown || !isFresh(seen, row.staleAfterMs, nowMs)) return []
    return seen.verdict === 'up' && seen.latencyMs !== null ? [seen.latencyMs] : []
  })
  return median(latencies)
}

/** When the newest reading was measured, of all regions or the one in focus; null: none known. */
export const newestMs = (row: CheckRow, focus: Region | null): number | null => {
  let newest: number | null = null
  for (const region of row.regions) {
    const measured = row.seen[region]?.measuredAtMs
    if (measured === undefined || (focus !== null && focus !== region)) continue
    if (newest === null || measured > newest) newest = measured
  }
  return newest
}

export const median = (values: readonly number[]): number | null =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? null
