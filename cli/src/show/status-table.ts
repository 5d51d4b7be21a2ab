import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import type { RegionStatusName, StoredReading } from '@probe-mesh/contracts/check/check'
import { count, showName } from '../plan/show-value.ts'
import type { Display } from './display.ts'
import { wrapWords } from './fit-width.ts'
import { age, ago, milliseconds, none, percent } from './measures.ts'
import {
  reasonBesideRegions,
  sortRows,
  shownStatus,
  statusOrder,
  type RowSort,
  type StatusRow,
} from './sort-rows.ts'
import { statusCell } from './status-words.ts'
import { tableLines, type Cell, type Column } from './table.ts'
import { trendBars } from './trend-bars.ts'

/** The newest reading of each check in a live view, by id. */
type NewestReadings = ReadonlyMap<string, StoredReading>

type TableOptions = {
  nowMs: number
  sort?: RowSort
  /** Every column, and nothing is cut. */
  isWide?: boolean
  /** Only in a live view. */
  newest?: NewestReadings
}

/** A column, and its cell for one check. */
type RowColumn = Column & { isOnlyWide?: boolean; cell: (row: StatusRow) => Cell }

/** @param options.newest adds the newest reading, in place of what changes slowly */
const columnsOf = (display: Display, { nowMs, newest }: TableOptions): readonly RowColumn[] => [
  { title: 'STATUS', cell: (row) => statusCell(display, shownStatus(row)) },
  { title: 'NAME', min: 12, cell: ({ name }) => showName(name) },
  { title: 'SINCE', align: 'right', dropOrder: 5, cell: (row) => sinceText(row, nowMs) },
  { title: 'REGIONS', dropOrder: 6, cell: regionsText },
  ...(newest === undefined
    ? slowColumns(display, nowMs)
    : [{ title: 'NEWEST READING', dropOrder: 7, cell: ({ id }: StatusRow) => readingText(newest.get(id)) }]),
  { title: 'TYPE', isOnlyWide: true, cell: ({ type }) => type },
  { title: 'EVERY', align: 'right', isOnlyWide: true, cell: (row) => age(row.intervalSeconds) },
  { title: 'BY REGION', isOnlyWide: true, cell: (row) => byRegion(display, row) },
  { title: 'TAGS', isOnlyWide: true, cell: ({ tags }) => tags.join(',') || none },
  { title: 'REASON', min: 30, cell: (row) => shownReason(display, reasonText(row, nowMs)) },
  { title: 'TARGET', min: 24, dropOrder: 10, cell: ({ url, target }) => url ?? target ?? none },
]

const slowColumns = (display: Display, nowMs: number): readonly RowColumn[] => [
  { title: 'LATENCY', align: 'right', dropOrder: 8, cell: ({ p50Ms }) => milliseconds(p50Ms ?? null) },
  {
    title: 'UPTIME',
    align: 'right',
    dropOrder: 9,
    cell: (row) => uptimeText(row, nowMs),
  },
  {
    title: '24 HOURS',
    isOnlyWide: display.tableColumns !== undefined,
    dropOrder: 11,
    cell: ({ trend }) => trendBars(display, trend ?? []),
  },
]

/** Of the last day, or of the age of a younger check. */
const uptimeText = ({ uptime: { day }, createdAt }: StatusRow, nowMs: number): string => {
  const ageMs = nowMs - Date.parse(createdAt)
  if (day === null) return none
  if (ageMs >= uptimeWindowsMs.day) return percent(day)
  return `${percent(day)} of ${age(ageMs / 1000)}`
}

/** Every check with its state: a summary, then one line each. */
export const statusTable = (
  display: Display,
  checks: readonly StatusRow[],
  options: TableOptions,
): string[] => {
  if (checks.length === 0) return wrapWords(display, 'This account has no checks.')
  const { isWide = false, sort = 'status' } = options
  const columns = columnsOf(display, options).filter(({ isOnlyWide }) => isWide || isOnlyWide !== true)
  const rows = sortRows(checks, sort).map((row) => columns.map(({ cell }) => cell(row)))
  const room = isWide ? { ...display, tableColumns: Number.POSITIVE_INFINITY } : display
  return [...wrapWords(display, summaryOf(checks)), '', ...tableLines(room, columns, rows)]
}

/** `12 checks: 1 down, 11 operational`. */
const summaryOf = (checks: readonly StatusRow[]): string => {
  const parts = statusOrder.flatMap((status) => {
    const { length } = checks.filter((check) => shownStatus(check) === status)
    return length === 0 ? [] : [`${length} ${status}`]
  })
  return `${count(checks.length, 'check')}: ${parts.join(', ')}`
}

/** How long the status has lasted. A pause is no status. */
const sinceText = ({ paused, statusSince }: StatusRow, nowMs: number): string =>
  paused || statusSince === null ? none : age((nowMs - Date.parse(statusSince)) / 1000)

/** Worst first. */
const regionOrder: readonly RegionStatusName[] = ['down', 'blocked', 'stale', 'unknown', 'up']

/** `1/4 down`: the worst state and how many have it. No region measures a heartbeat, and none a paused check. */
const regionsText = ({ type, paused, regions, regionStatuses }: StatusRow): string => {
  if (type === 'heartbeat' || paused) return none
  const worst = regionOrder.find((one) => regionStatuses.some(({ status }) => status === one)) ?? 'unknown'
  const number = regionStatuses.filter(({ status }) => status === worst).length
  return `${regionStatuses.length === 0 ? regions.length : number}/${regions.length} ${worst}`
}

const byRegion = (display: Display, { regionStatuses }: StatusRow): string =>
  regionStatuses.map(({ region, status }) => `${region} ${statusCell(display, status).text}`).join(', ') ||
  none

/** The reason of the status; without one, what is known of the newest reading. */
const reasonText = (
  { paused, status, statusReason, measuredAt, maintenance = false }: StatusRow,
  nowMs: number,
): string => {
  const known =
    statusReason ?? (status === 'stale' || status === 'unknown' ? newestText(measuredAt, nowMs) : '')
  const reason = paused ? '' : known
  return [...(maintenance ? ['under maintenance'] : []), ...(reason === '' ? [] : [reason])].join(': ')
}

/** In a pipe it is whole, for programs. */
const shownReason = ({ tableColumns }: Display, reason: string): string =>
  tableColumns === undefined ? reasonBesideRegions(reason) : reason

const newestText = (measuredAt: string | null, nowMs: number): string =>
  measuredAt === null ? 'not measured yet' : `newest reading ${ago(measuredAt, nowMs)}`

/** As a time of day, because a live view is redrawn only on changes. */
const readingText = (reading: StoredReading | undefined): string =>
  reading === undefined
    ? none
    : [
        reading.measuredAt.slice(11, 19),
        reading.region,
        reading.verdict,
        ...(reading.latencyMs === null ? [] : [milliseconds(reading.latencyMs)]),
      ].join(' ')
