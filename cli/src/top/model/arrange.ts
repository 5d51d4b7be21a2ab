import type { Region } from '@probe-mesh/contracts/reading/regions'
import { knownUntilMs, newestMs, shownStatus, type ShownStatus } from './freshness.ts'
import type { CheckRow, Sort, TopState } from './state.ts'

/** Worst first. */
const ranks: Readonly<Record<ShownStatus, number>> = {
  down: 0,
  degraded: 1,
  stale: 2,
  unknown: 3,
  operational: 4,
  paused: 5,
}
export const statusesByRank = Object.keys(ranks) as readonly ShownStatus[]

export type Arranged = {
  /** The rows that match the filter, in order. */
  rows: readonly { row: CheckRow; status: ShownStatus }[]
  /** The index of the cursor among them; 0 if there are none. */
  cursor: number
  /** Of all checks, including filtered ones. */
  counts: Readonly<Record<ShownStatus, number>>
  /** Time of the newest reading, or null. */
  newestMs: number | null
}

/** The rows as shown at an instant. @param nowMs by the API's clock */
export const arrange = (state: TopState, nowMs: number): Arranged => {
  const knownMs = knownUntilMs(state, nowMs)
  const wanted = state.filter.toLowerCase()
  const counts = { down: 0, degraded: 0, stale: 0, unknown: 0, operational: 0, paused: 0 }
  const rows: { row: CheckRow; status: ShownStatus }[] = []
  let newest: number | null = null
  for (const row of state.checks.values()) {
    const status = shownStatus(row, knownMs, nowMs)
    counts[status] += 1
    const measured = newestMs(row, null)
    if (measured !== null && (newest === null || measured > newest)) newest = measured
    if (wanted === '' || matches(row, status, wanted)) rows.push({ row, status })
  }
  rows.sort(
    (one, other) =>
      placeOf(one, state.sort) - placeOf(other, state.sort) ||
      compare(one.row.name, other.row.name) ||
      compare(one.row.id, other.row.id),
  )
  const found = rows.findIndex(({ row }) => row.id === state.selected)
  return { rows, cursor: Math.max(0, found), counts, newestMs: newest }
}

/** What comes first has the lowest number. */
const placeOf = ({ row, status }: Arranged['rows'][number], sort: Sort): number => {
  if (sort === 'status') return ranks[status]
  return sort === 'changed' ? -(row.statusSinceMs ?? 0) : 0
}

const matches = (row: CheckRow, status: ShownStatus, wanted: string): boolean =>
  row.name.toLowerCase().includes(wanted) || status.startsWith(wanted)

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The regions with a column: the live ones, then others that a check names. */
export const regionsOf = (state: TopState): readonly Region[] => {
  const regions = new Set<Region>(state.account?.regions)
  for (const row of state.checks.values()) for (const region of row.regions) regions.add(region)
  return [...regions]
}

/** The first visible row, so that the cursor is in the middle if possible. */
export const windowStart = (rows: number, cursor: number, height: number): number =>
  Math.max(0, Math.min(cursor - Math.floor(height / 2), rows - height))
