import { textTable } from '@probe-mesh/runtime/tables'
import { median } from './statistics.ts'

/** What a figure should reach. A missed aim fails nothing; the figure is reported as short. */
export type Aim = { atMost: number } | { atLeast: number }

/** Anything more that helps to judge a figure: its peer, its bounds, how much was measured. */
type Context = Record<string, string | number | boolean | null | readonly number[]>

/** One measured number. */
export type Figure = {
  /** In snake case, unique within its bench. */
  figure: string
  unit: string
  aim?: Aim | undefined
  context?: Context
} & (
  | { value: number; runs?: readonly number[] }
  /** Single measurements. The value is their median. */
  | { runs: readonly number[] }
)

/** A figure as it is printed and recorded. */
export type FigureLine = {
  bench: string
  figure: string
  value: number
  unit: string
  aim?: string
  met?: boolean
} & Context

export const figureLine = (bench: string, given: Figure) => {
  const { figure, unit, aim, runs, context } = given
  const value = 'value' in given ? given.value : median(given.runs)
  return {
    bench,
    figure,
    value: significant(value),
    unit,
    ...(aim === undefined ? {} : { aim: describeAim(aim), met: isMet(aim, value) }),
    ...Object.fromEntries(
      Object.entries({ ...(runs === undefined ? {} : { runs: atMost21(runs) }), ...context }).map(
        ([key, entry]) => [key, rounded(entry)],
      ),
    ),
  } satisfies FigureLine
}

/** Of more runs, their twentieths from the least to the most: `compare` needs the middle half only. */
const atMost21 = (runs: readonly number[]): readonly number[] => {
  if (runs.length <= 21) return runs
  const sorted = runs.toSorted((a, b) => a - b)
  return Array.from(
    { length: 21 },
    (_, n) => sorted[Math.round((n / 20) * (sorted.length - 1))] ?? Number.NaN,
  )
}

const isMet = (aim: Aim, value: number): boolean =>
  'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast

const describeAim = (aim: Aim): string => ('atMost' in aim ? `<= ${aim.atMost}` : `>= ${aim.atLeast}`)

const rounded = (entry: Context[string]): Context[string] => {
  if (typeof entry === 'number') return significant(entry)
  return Array.isArray(entry) ? entry.map(significant) : entry
}

/** Four digits: more than any of these measurements reproduces. */
const significant = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(4))

/** The figures as a table for people. */
export const tableOf = (lines: readonly FigureLine[]): string => {
  const rows = lines.map(({ figure, value, unit, aim, met }) => [
    figure,
    String(value),
    unit,
    aim ?? '',
    met === undefined ? '' : met ? 'met' : 'short',
  ])
  return textTable([['figure', 'value', 'unit', 'aim', ''], ...rows], [1])
}
