import type { Check, CheckStatus, StoredReading } from '@probe-mesh/contracts/check/check'
import { count, showName } from '../plan/show-value.ts'
import type { Display } from './display.ts'
import { wrapWords } from './fit-width.ts'
import { milliseconds, none } from './measures.ts'
import { statusCell } from './status-words.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'

/** Worst first. */
const order = ['down', 'degraded', 'stale', 'unknown', 'operational'] as const satisfies CheckStatus[]

/** The newest reading of each check in a live view, by id. */
type NewestReadings = ReadonlyMap<string, StoredReading>

const columns: readonly Column[] = [
  { title: 'STATUS' },
  { title: 'NAME', min: 12 },
  { title: 'TYPE', dropOrder: 1 },
  { title: 'EVERY', align: 'right', dropOrder: 3 },
  { title: 'REGIONS', min: 7, dropOrder: 2 },
]
const newestColumn: Column = { title: 'NEWEST READING', dropOrder: 1 }
const targetColumn: Column = { title: 'TARGET', min: 16, dropOrder: 4 }

/**
 * Every check with its aggregate status, worst first: a summary, then one line each.
 * @param newest of a live view, or null
 */
export const statusTable = (
  display: Display,
  checks: readonly Check[],
  newest: NewestReadings | null = null,
): string[] => {
  if (checks.length === 0) return wrapWords(display, 'This account has no checks.')
  const sorted = checks.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name, 'en'),
  )
  const rows = sorted.map((check) => [
    statusCell(display, shownStatus(check)),
    showName(check.name),
    check.type,
    `${check.intervalSeconds} s`,
    check.type === 'heartbeat' ? none : check.regions.join(','),
    ...(newest === null ? [] : [readingText(newest.get(check.id))]),
    check.url ?? check.target ?? none,
  ])
  const shown = [...columns, ...(newest === null ? [] : [newestColumn]), targetColumn]
  return [...wrapWords(display, summaryOf(checks)), '', ...tableLines(display, shown, rows)]
}

/** `12 checks: 1 down, 11 operational`. */
const summaryOf = (checks: readonly Check[]): string => {
  const parts = [...order, 'paused' as const].flatMap((status) => {
    const { length } = checks.filter((check) => shownStatus(check) === status)
    return length === 0 ? [] : [`${length} ${status}`]
  })
  return `${count(checks.length, 'check')}: ${parts.join(', ')}`
}

/** A paused check is not measured: its last status says nothing about now. */
const shownStatus = ({ paused, status }: Check): CheckStatus | 'paused' => (paused ? 'paused' : status)

const rankOf = (check: Check): number => (check.paused ? order.length : order.indexOf(check.status))

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
