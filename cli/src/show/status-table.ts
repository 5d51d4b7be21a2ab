import type { Check, CheckStatus, StoredReading } from '@probe-mesh/contracts/check/check'
import { showName } from '../plan/show-value.ts'
import type { Look } from './look.ts'
import { count, milliseconds, none } from './measures.ts'
import { statusCell } from './status-words.ts'
import { tableLines } from './table.ts'
import type { Column } from './table.ts'
import { wrapWords } from './wrap-words.ts'

/** Worst first. */
const order = [
  'down',
  'degraded',
  'stale',
  'unknown',
  'operational',
] as const satisfies CheckStatus[]

/** The newest reading of a check that somebody watches, by its id. */
export type NewestReadings = ReadonlyMap<string, StoredReading>

const columns: readonly Column[] = [
  { title: 'STATUS' },
  { title: 'NAME', min: 12 },
  { title: 'TYPE', spare: 1 },
  { title: 'EVERY', align: 'right', spare: 3 },
  { title: 'REGIONS', min: 7, spare: 2 },
]
const newestColumn: Column = { title: 'NEWEST READING', spare: 1 }
const targetColumn: Column = { title: 'TARGET', min: 16, spare: 4 }

/**
 * Every check with its aggregate status, the worst first: how many stand how, then a line for each.
 * @param newest of a live view; null where none was told
 */
export const statusTable = (
  look: Look,
  checks: readonly Check[],
  newest: NewestReadings | null = null,
): string[] => {
  if (checks.length === 0) return wrapWords(look, 'There are no checks on this account.')
  const sorted = checks.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name, 'en'),
  )
  const rows = sorted.map((check) => [
    statusCell(look, shownStatus(check)),
    showName(check.name),
    check.type,
    `${check.intervalSeconds} s`,
    check.type === 'heartbeat' ? none : check.regions.join(','),
    ...(newest === null ? [] : [readingText(newest.get(check.id))]),
    check.url ?? check.target ?? none,
  ])
  const shown = [...columns, ...(newest === null ? [] : [newestColumn]), targetColumn]
  return [...wrapWords(look, summaryOf(checks)), '', ...tableLines(look, shown, rows)]
}

/** `12 checks: 1 down, 11 operational`. */
const summaryOf = (checks: readonly Check[]): string => {
  const parts = [...order, 'paused' as const].flatMap((status) => {
    const { length } = checks.filter((check) => shownStatus(check) === status)
    return length === 0 ? [] : [`${length} ${status}`]
  })
  return `${count(checks.length, 'check')}: ${parts.join(', ')}`
}

/** What is paused is measured no more: what it was last says nothing of now. */
const shownStatus = ({ paused, status }: Check): CheckStatus | 'paused' =>
  paused ? 'paused' : status

const rankOf = (check: Check): number => (check.paused ? order.length : order.indexOf(check.status))

/** By the clock, since a live view is drawn only when something changes. */
const readingText = (reading: StoredReading | undefined): string =>
  reading === undefined
    ? none
    : [
        reading.measuredAt.slice(11, 19),
        reading.region,
        reading.verdict,
        ...(reading.latencyMs === null ? [] : [milliseconds(reading.latencyMs)]),
      ].join(' ')
