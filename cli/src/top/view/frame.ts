import { actLines } from '../../acts/act-line.ts'
import { arrange, regionsOf, windowStart } from '../model/arrange.ts'
import type { TopState } from '../model/state.ts'
import { columnsFor } from './columns.ts'
import { detailLines } from './detail.ts'
import { footerLines } from './footer.ts'
import { headerLines, type Shown } from './header.ts'
import { cutLine, span, type Line } from './line.ts'
import { headings, matrixRow } from './matrix.ts'
import { letters, regionTone, words, type Symbols } from './symbols.ts'

export type Size = { columns: number; rows: number }

const least: Size = { columns: 40, rows: 10 }
/** Header, headings and footer. */
const linesAround = 6

type FrameInput = {
  state: TopState
  size: Size
  symbols: Symbols
  host: string
  /** By the clock here. */
  localMs: number
}

/** The whole screen at an instant: one line per row of the window, none wider. */
export const frameLines = (input: FrameInput): Line[] => {
  const { state, size, symbols, host, localMs } = input
  if (size.columns < least.columns || size.rows < least.rows) return tooSmall(size, symbols)
  const nowMs = localMs + state.skewMs
  const shown: Shown = {
    state,
    arranged: arrange(state, nowMs),
    host,
    symbols,
    width: size.columns,
    height: size.rows,
    nowMs,
    localMs,
  }
  // the help needs the lines of the figures
  const header = headerLines(shown).slice(0, state.isHelpShown ? 1 : undefined)
  const footer = footerLines(shown)
  const height = size.rows - header.length - footer.length
  const body = bodyLines(shown, height).slice(0, height)
  const blank = Array.from({ length: height - body.length }, (): Line => [])
  return [...header, ...body, ...blank, ...footer].map((line) => cutLine(line, size.columns, symbols.more))
}

const bodyLines = (shown: Shown, height: number): Line[] => {
  const { state, arranged, symbols, width, nowMs } = shown
  if (state.isHelpShown) return helpThatFits(symbols, height)
  const opened = state.opened === null ? undefined : state.checks.get(state.opened.checkId)
  if (opened !== undefined) return detailLines(shown, opened, height)
  const { rows, cursor } = arranged
  if (rows.length === 0) return [[], [span(whyEmpty(state))]]
  const regions = regionsOf(state)
  const longestName = Math.max(0, ...rows.map(({ row }) => row.name.length))
  const columns = columnsFor({ width, regions, focus: state.focus, longestName })
  const start = windowStart(rows.length, cursor, height - 1)
  return [
    headings(columns, state.focus, regions.length - columns.regions.length),
    ...rows.slice(start, start + height - 1).map((row, index) =>
      matrixRow(row, {
        columns,
        symbols,
        focus: state.focus,
        isSelected: start + index === cursor,
        nowMs,
      }),
    ),
  ]
}

const whyEmpty = (state: TopState): string => {
  if (state.listedMs === null) return 'Reading the checks ...'
  return state.checks.size === 0
    ? 'This account has no checks yet.'
    : 'No check matches the filter; esc clears it.'
}

/** The number of check rows that fit a window. */
export const pageRows = ({ rows }: Size): number => Math.max(1, rows - linesAround)

const tooSmall = ({ columns, rows }: Size, symbols: Symbols): Line[] =>
  [`This window is ${columns}x${rows}.`, `It needs ${least.columns}x${least.rows}: resize, or press q.`]
    .slice(0, rows)
    .map((text) => cutLine([span(text)], columns, symbols.more))

const keys: readonly (readonly [key: string, effect: string])[] = [
  ['j k, arrows', 'down and up; PgDn PgUp by page; g G first and last'],
  ['enter', 'open the selected check; esc goes back'],
  ['/', 'filter by name or status as you type'],
  ['s', 'sort by status, worst first, by name, or by the latest change'],
  ['1-9', 'focus one region: its latency, trend and age; again for all'],
  ['r r', 'measure now from every region'],
  [':', `act on the selected check; enter does it, esc cancels:`],
  ['', actLines.slice(0, 4).join(', ')],
  ['', actLines.slice(4).join(', ')],
  ['q, Ctrl-C', 'quit'],
]

/** The help; in a low window its first lines, and how high the window must be for the rest. */
const helpThatFits = (symbols: Symbols, height: number): Line[] => {
  const lines = helpLines(symbols)
  const missing = lines.length - height
  if (missing <= 0) return lines
  return [...lines.slice(0, height - 1), [span(`${missing + 1} more lines: make the window higher.`, 'dim')]]
}

/** The keys, and what the signs mean. */
const helpLines = (symbols: Symbols): Line[] => [
  [span('KEYS', 'dim')],
  ...keys.map(([key, effect]) => [span(key.padEnd(13), 'strong'), span(effect)]),
  [],
  [span('SIGNS', 'dim')],
  (['up', 'down', 'blocked', 'stale', 'unknown'] as const).flatMap((status) => [
    span(`${symbols.region[status]}${letters[status]}`, regionTone[status]),
    span(` ${words[status]}   `),
  ]),
  [span(`${symbols.none} not measured from there. Blocked: the probe was refused; this is not down.`)],
  [span('Stale: the newest reading is too old to count. It says nothing about now.')],
  [span('STATUS +2: two regions do not fit; their number keys show them.')],
  [span('Phases: d dns, c connect, s tls, w ttfb (first byte), t transfer.')],
  [span('24 HOURS: the worst state of each hour; higher is worse, a gap was not measured.')],
  [span('TREND: latency per interval since the start; a gap: not measured.')],
]
