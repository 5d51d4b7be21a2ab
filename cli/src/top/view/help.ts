import { span } from './line.ts'
import type { Line } from './line.ts'
import { letters, regionTone, words } from './symbols.ts'
import type { Symbols } from './symbols.ts'

const keys: readonly (readonly [key: string, effect: string])[] = [
  ['j k, arrows', 'down and up; PgDn PgUp a page; g G the first and the last'],
  ['enter', 'the check under the cursor by itself; esc goes back'],
  ['/', 'filter by name or status as you type'],
  ['s', 'sort by status, worst first, or by name'],
  ['1-9', 'one region in focus: its latency, line and age; again: all'],
  ['r r', 'measure now from every region; the only key that writes, so it asks'],
  ['q, Ctrl-C', 'quit'],
]

/** Which keys there are, and how to read the signs. */
export const helpLines = (symbols: Symbols): Line[] => [
  [span('KEYS', 'dim')],
  ...keys.map(([key, effect]) => [span(key.padEnd(13), 'strong'), span(effect)]),
  [],
  [span('SIGNS', 'dim')],
  (['up', 'down', 'blocked', 'stale', 'unknown'] as const).flatMap((status) => [
    span(`${symbols.region[status]}${letters[status]}`, regionTone[status]),
    span(` ${words[status]}   `),
  ]),
  [
    span(
      `${symbols.none} not measured from there. Blocked: the probe was refused; that is not down.`,
    ),
  ],
  [span('Stale: the newest reading is too old to count. It says nothing of now.')],
  [span('STATUS +2: two regions have no column for want of room; their keys show them.')],
  [span('Phases: d dns, c connect, s tls, w ttfb (first byte), t transfer.')],
  [span('TREND: one bar an interval against the highest; a gap: nothing was measured.')],
]
