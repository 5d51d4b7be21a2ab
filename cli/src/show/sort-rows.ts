import { listedStatusOrder, type CheckRow, type ListedStatus } from '@probe-mesh/contracts/check/check-row'
import type { Check, RegionStatus } from '@probe-mesh/contracts/check/check'

/** A check with its state, from the list or from its details, which lack the latter fields. */
export type StatusRow = Check &
  Pick<CheckRow, 'statusSince' | 'statusReason' | 'measuredAt'> & {
    regionStatuses: readonly Pick<RegionStatus, 'region' | 'status'>[]
    uptime: Pick<CheckRow['uptime'], 'day'>
  } & Partial<Pick<CheckRow, 'p50Ms' | 'trend' | 'maintenance'>>

/** Worst first, paused last. */
export const statusOrder = listedStatusOrder

/** `changed`: latest first; `latency`: slowest first; `uptime`: lowest first. */
export const rowSorts = ['status', 'name', 'changed', 'latency', 'uptime'] as const
export type RowSort = (typeof rowSorts)[number]

/** A paused check is not measured: its last status says nothing about now. */
export const shownStatus = ({ paused, status }: StatusRow): ListedStatus => (paused ? 'paused' : status)

/** What is unknown comes last. */
const last = Number.POSITIVE_INFINITY

const keys: Readonly<Record<RowSort, (row: StatusRow) => number>> = {
  status: (row) => statusOrder.indexOf(shownStatus(row)),
  name: () => 0,
  changed: ({ statusSince }) => (statusSince === null ? last : -Date.parse(statusSince)),
  latency: ({ p50Ms = null }) => (p50Ms === null ? last : -p50Ms),
  uptime: ({ uptime }) => uptime.day ?? last,
}

/** Equal checks are ordered by name. */
export const sortRows = (rows: readonly StatusRow[], sort: RowSort): StatusRow[] => {
  const key = keys[sort]
  return rows.toSorted(
    (one, other) => compare(key(one), key(other)) || one.name.localeCompare(other.name, 'en'),
  )
}

const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1)

/** The reason without the count and names of regions, which have columns of their own. */
export const reasonBesideRegions = (reason: string): string =>
  reason.replace(/^\d+ of \d+ regions fail \([^)]*\): /, '')
