import type { Region } from '@probe-mesh/contracts/reading/regions'
import { median } from './freshness.ts'
import type { CheckRow } from './state.ts'

/** One interval of a latency line. `none`: not measured, and never interpolated. */
export type Beat =
  | { kind: 'none' }
  | { kind: 'up'; latencyMs: number }
  | { kind: 'down' }
  | { kind: 'blocked' }

/**
 * The last intervals of a check, oldest first: the median latency of regions that were up, or their
 * failure. It ends with the newest reading, or with an overdue one.
 * @param nowMs by the API's clock
 */
export const latencyLine = (
  row: CheckRow,
  { focus, beats, nowMs }: { focus: Region | null; beats: number; nowMs: number },
): Beat[] => {
  const intervalMs = row.intervalSeconds * 1000
  const byPlace = new Map<number, CheckRow['points'][number][]>()
  for (const point of row.points) {
    if (focus !== null && point.region !== focus) continue
    const place = Math.floor(point.slotMs / intervalMs)
    const inPlace = byPlace.get(place)
    if (inPlace === undefined) byPlace.set(place, [point])
    else inPlace.push(point)
  }
  // the maximum for a slot's attempts and delivery
  const arrivesMs = row.staleAfterMs - 2 * intervalMs
  const overdue = Math.floor((nowMs - arrivesMs) / intervalMs) - 1
  const last = Math.max(overdue, ...byPlace.keys())
  return Array.from({ length: beats }, (_, index) => beatOf(byPlace.get(last - beats + 1 + index) ?? []))
}

const beatOf = (points: readonly CheckRow['points'][number][]): Beat => {
  const latencyMs = median(
    points.flatMap((point) => (point.verdict === 'up' && point.latencyMs !== null ? [point.latencyMs] : [])),
  )
  if (latencyMs !== null) return { kind: 'up', latencyMs }
  if (points.some(({ verdict }) => verdict === 'down')) return { kind: 'down' }
  return points.some(({ verdict }) => verdict === 'blocked') ? { kind: 'blocked' } : { kind: 'none' }
}
