import type { TrendState } from '@probe-mesh/contracts/check/check-row'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { reasonBesideRegions } from '../../show/sort-rows.ts'
import { shortTrend, trendMark } from '../../show/trend-bars.ts'
import { isFresh, newestMs, shownLatencyMs, shownRegion, type ShownStatus } from '../model/freshness.ts'
import { latencyLine, type Beat } from '../model/latency-line.ts'
import type { CheckRow } from '../model/state.ts'
import { showAge, showLatency } from './amounts.ts'
import type { Columns } from './columns.ts'
import { cut, padEnd, padStart, span, type Line, type Span, type Tone } from './line.ts'
import { letters, regionTone, statusTone, type Symbols } from './symbols.ts'

/** The column headings. @param hidden number of regions without a column */
export const headings = (columns: Columns, focus: Region | null, hidden: number): Line => {
  const more = hidden > 0 ? `+${hidden} ` : ''
  const status = padEnd('STATUS', columns.status - more.length) + more
  return [
    span(`  ${padEnd('NAME', columns.name)}${status}`, 'dim'),
    span(columns.since > 0 ? padEnd('SINCE', columns.since) : '', 'dim'),
    ...columns.regions.map((region) =>
      span(padEnd(region, columns.region), region === focus ? 'strong' : 'dim'),
    ),
    span(
      (columns.latency > 0 ? padStart(focus === null ? 'MEDIAN' : 'LATENCY', columns.latency) : '') +
        (columns.age > 0 ? padStart('AGE', columns.age) : '') +
        (columns.trend > 0 ? padEnd('  24 HOURS', columns.trend) : '') +
        (columns.line > 0 ? padEnd('  TREND', columns.line) : '') +
        (columns.reason > 0 ? '  REASON' : ''),
      'dim',
    ),
  ]
}

/** One check: its status, since when, each region, the age of the data, and the reason. */
export const matrixRow = (
  { row, status }: { row: CheckRow; status: ShownStatus },
  {
    columns,
    symbols,
    focus,
    isSelected,
    nowMs,
  }: {
    columns: Columns
    symbols: Symbols
    focus: Region | null
    isSelected: boolean
    nowMs: number
  },
): Line => {
  const latencyMs = shownLatencyMs(row, focus, nowMs)
  const newest = newestMs(row, focus)
  const latency = latencyMs === null ? '-' : showLatency(latencyMs)
  const age = newest === null ? '-' : showAge(nowMs - newest)
  const name = cut(row.name, columns.name - 1, symbols.more)
  const isTold = status === row.status && row.statusSinceMs !== null
  const since = isTold ? showAge(nowMs - (row.statusSinceMs ?? nowMs)) : '-'
  return [
    span(isSelected ? `${symbols.cursor} ` : '  ', 'strong'),
    span(padEnd(name, columns.name), ...(isSelected ? (['strong'] as const) : [])),
    span(padEnd(status, columns.status), statusTone[status]),
    ...(columns.since > 0 ? [span(padEnd(since, columns.since))] : []),
    ...columns.regions.map((region) => cellOf(row, region, columns.region, symbols, nowMs)),
    ...(columns.latency > 0 ? [span(padStart(latency, columns.latency))] : []),
    ...(columns.age > 0 ? [span(padStart(age, columns.age), 'dim')] : []),
    ...(columns.trend > 0 ? [span('  '), ...trendSpans(row.trend, columns.trend - 2, symbols)] : []),
    ...(columns.line > 0
      ? [span('  '), ...beatSpans(latencyLine(row, { focus, beats: columns.line - 2, nowMs }), symbols)]
      : []),
    ...(columns.reason > 0
      ? [span(`  ${cut(reasonOf(row, status, nowMs), columns.reason - 2, symbols.more)}`)]
      : []),
  ]
}

/** The API's reason explains the API's status only. */
const reasonOf = (row: CheckRow, status: ShownStatus, nowMs: number): string => {
  const newest = newestMs(row, null)
  const reason =
    status === row.status && row.statusReason !== null
      ? reasonBesideRegions(row.statusReason)
      : status === 'stale' && newest !== null
        ? `newest reading ${showAge(nowMs - newest)} ago`
        : ''
  if (status === 'paused') return ''
  return [...(row.isMaintained ? ['under maintenance'] : []), ...(reason === '' ? [] : [reason])].join(': ')
}

const trendTone: Readonly<Partial<Record<TrendState, Tone>>> = {
  operational: 'good',
  stale: 'warn',
  degraded: 'warn',
  down: 'bad',
}

/** The last 24 hours, right-aligned so that the last mark is the current hour. */
const trendSpans = (trend: readonly TrendState[], width: number, symbols: Symbols): Span[] => {
  const parts = shortTrend(trend, width)
  return [
    span(' '.repeat(Math.max(0, width - parts.length))),
    ...parts.map((state) => span(trendMark(symbols, state), trendTone[state])),
  ]
}

const cellOf = (row: CheckRow, region: Region, width: number, symbols: Symbols, nowMs: number): Span => {
  const status = shownRegion(row, region, nowMs)
  if (status === null) return span(padEnd(symbols.none, width), 'dim')
  const result = row.results[region]
  const isWide = width > 8 && result?.verdict === 'up' && isFresh(result, row.staleAfterMs, nowMs)
  const latency = isWide && result.latencyMs !== null ? ` ${showLatency(result.latencyMs)}` : ''
  const sign = `${symbols.region[status]}${letters[status]}`
  return span(padEnd(`${sign}${latency}`, width), regionTone[status])
}

/** Bars scaled to the highest; an interval without a reading stays empty. */
const beatSpans = (beats: readonly Beat[], { bars, region }: Symbols): Span[] => {
  const most = Math.max(1, ...beats.map((beat) => (beat.kind === 'up' ? beat.latencyMs : 0)))
  return beats.map((beat) => {
    if (beat.kind === 'none') return span(' ')
    if (beat.kind !== 'up') return span(region[beat.kind], regionTone[beat.kind])
    const height = Math.min(bars.length - 1, Math.floor((beat.latencyMs / most) * bars.length))
    return span(bars[height] ?? '')
  })
}
