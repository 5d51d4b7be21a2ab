import { markdownTable } from '../documents/markdown-table.ts'
import { numberText } from '../documents/number-text.ts'
import type { FigureLine } from '../figure.ts'
import { newestOf } from '../results.ts'
import type { Measured, Result } from '../results.ts'
import { headlines } from './headlines.ts'
import type { Headline } from './headlines.ts'

type Histories = Readonly<Record<string, readonly Result[]>>

/** What was measured last of each headline, as the table of `bench/README.md`. */
export const lastTable = (histories: Histories): string =>
  markdownTable(
    ['what', 'last', 'aim', '', 'figure', 'measured'],
    headlines.flatMap(({ group, rows }) => [
      [`**${group}**`, '', '', '', '', ''],
      ...rows.map((row) => headlineRow(row, newestOf(histories[row.bench] ?? [], row.figure))),
    ]),
  )

const headlineRow = ({ what, bench, figure }: Headline, measured: Measured | null): string[] => {
  const named = `\`${bench}\` \`${figure}\``
  if (measured === null) return [what, 'not measured', '', '', named, '']
  const { line, run } = measured
  return [what, `${numberText(line.value)} ${line.unit}`, ...aimCells(line), named, momentOf(run)]
}

/** Every figure of growth, with the work and the costs that its exponent is of. */
export const growthTable = (histories: Histories): string =>
  markdownTable(
    ['cost', 'of', 'costs', 'exponent', 'aim', '', 'measured'],
    Object.entries(histories).flatMap(([, history]) =>
      growthNames(history).flatMap((figure) => {
        const measured = newestOf(history, figure)
        return measured === null ? [] : [growthRow(measured)]
      }),
    ),
  )

const growthNames = (history: readonly Result[]): string[] => [
  ...new Set(
    history.flatMap(({ figures }) =>
      figures.flatMap(({ figure, unit }) => (unit === 'exponent' ? [figure] : [])),
    ),
  ),
]

const growthRow = ({ line, run }: Measured): string[] => {
  const series = (values: unknown) =>
    Array.isArray(values) ? values.map(numberText).join(', ') : ''
  return [
    String(line['of']),
    `${series(line['work'])} ${line['in']}`,
    `${series(line['costs'])} ${line['costUnit']}`,
    numberText(line.value),
    ...aimCells(line),
    momentOf(run),
  ]
}

/** Every figure of every bench, each as it was measured last. */
export const wholeTable = (histories: Histories): string =>
  Object.entries(histories)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([bench, history]) => {
      const newest = history.at(-1)
      if (newest === undefined) return ''
      const { cores, cpu, node } = newest.machine
      const pace = newest.pace === undefined ? '' : `, pace ${newest.pace.join(' and ')} ms`
      const machine = `${momentOf(newest)}, ${cores} x ${cpu}, Node ${node}${pace}`
      const rows = newest.figures.map((line) => [
        `\`${line.figure}\``,
        numberText(line.value),
        line.unit,
        ...aimCells(line),
      ])
      return `### ${bench}, ${machine}\n\n${markdownTable(['figure', 'value', 'unit', 'aim', ''], rows)}`
    })
    .join('\n\n')

const aimCells = ({ aim, met }: FigureLine): [string, string] => [
  (aim ?? '').replace('<=', 'at most').replace('>=', 'at least'),
  met === undefined ? '' : met ? 'met' : '**short**',
]

const momentOf = ({ date, commit }: Result): string => `${date.slice(0, 10)} ${commit ?? ''}`.trim()
