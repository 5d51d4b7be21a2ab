import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import type { CheckStatus, RegionStatusName } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckRow, RegionResult, TopState } from './state.ts'

/** Time for batching, transport and assessment, as the control plane counts it. */
const deliveryMs = 5_000

/** How long a reading stays fresh if details are unknown: the control plane's rule. */
export const staleAfterMsOf = (intervalSeconds: number): number =>
  2 * intervalSeconds * 1000 + 2 * attemptDeadlineMs(intervalSeconds) + deliveryMs

/** No data is never healthy: only a recent reading counts. */
export const isFresh = (result: RegionResult, staleAfterMs: number, nowMs: number): boolean => {
  const ageMs = nowMs - result.measuredAtMs
  return result.counts && ageMs <= staleAfterMs && ageMs >= -limits.clockSkewMsMax
}

/** What a region shows now; null: the check is not measured from there. */
export const shownRegion = (row: CheckRow, region: Region, nowMs: number): RegionStatusName | null => {
  if (!row.regions.includes(region)) return null
  const result = row.results[region]
  if (result === undefined) return 'unknown'
  return isFresh(result, row.staleAfterMs, nowMs) ? result.verdict : 'stale'
}

export type ShownStatus = CheckStatus | 'paused'

/**
 * What a check shows now: the API's status, unless no region is fresh any more, or no stream
 * reported changes for as long as a reading counts.
 * @param nowMs by the API's clock
 */
export const shownStatus = (row: CheckRow, knownMs: number, nowMs: number): ShownStatus => {
  if (row.paused) return 'paused'
  const isKnown = nowMs - knownMs <= row.staleAfterMs
  if (!isKnown) return row.status === 'unknown' ? 'unknown' : 'stale'
  const known = row.regions.flatMap((region) => row.results[region] ?? [])
  const isSilent = known.length > 0 && !known.some((one) => isFresh(one, row.staleAfterMs, nowMs))
  return isSilent ? 'stale' : row.status
}

/** Until when the list is known to be current, by the API's clock. */
export const knownUntilMs = (state: TopState, nowMs: number): number => {
  const { connectedMs, state: stream } = state.connection
  const isTold =
    stream === 'connected' && state.listedMs !== null && connectedMs !== null && state.listedMs >= connectedMs
  return isTold ? nowMs : state.knownMs + state.skewMs
}

/**
 * The median latency of fresh results that are up, or of the focused region; null if there is none.
 */
export const shownLatencyMs = (row: CheckRow, focus: Region | null, nowMs: number): number | null => {
  const latencies = row.regions.flatMap((region) => {
    const result = row.results[region]
    const isShown = focus === null || focus === region
    if (result === undefined || !isShown || !isFresh(result, row.staleAfterMs, nowMs)) return []
    return result.verdict === 'up' && result.latencyMs !== null ? [result.latencyMs] : []
  })
  return median(latencies)
}

/** The time of the newest reading, of all regions or the focused one; null if there is none. */
export const newestMs = (row: CheckRow, focus: Region | null): number | null => {
  let newest: number | null = null
  for (const region of row.regions) {
    const measured = row.results[region]?.measuredAtMs
    if (measured === undefined || (focus !== null && focus !== region)) continue
    if (newest === null || measured > newest) newest = measured
  }
  return newest
}

export const median = (values: readonly number[]): number | null =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? null
