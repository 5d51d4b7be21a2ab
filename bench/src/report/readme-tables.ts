import { markdownTable } from '@probe-mesh/runtime/tables'
import type { FigureLine } from '../harness/figure.ts'
import { newestOf, type Measured, type Result } from '../harness/results.ts'
import { headlines } from './headlines.ts'

type Histories = Readonly<Record<string, readonly Result[]>>

/** The newest figure of each headline, with its aim and its bench; below, the run of each bench. */
export const headlineTable = (histories: Histories): string => {
  const newest = headlines.map((row) => ({
    ...row,
    measured: newestOf(histories[row.bench] ?? [], row.figure),
  }))
  const table = markdownTable([
    ['what', 'last', 'aim', 'bench'],
    ...newest.map(({ what, bench, measured }) => [what, ...measuredCells(measured), bench]),
  ])
  const runs = newest.flatMap(({ bench, measured }) =>
    measured === null ? [] : [`${bench} ${runText(measured.run)}`],
  )
  return `${table}\n\nMeasured: ${[...new Set(runs)].join(', ')}.`
}

const measuredCells = (measured: Measured | null): [string, string] =>
  measured === null
    ? ['not measured', '']
    : [`${numberText(measured.line.value)} ${unitOf(measured.line)}`.trim(), aimText(measured.line)]

/** The first words of a unit. A ratio needs none. */
const unitOf = ({ unit }: FigureLine): string =>
  unit.startsWith('ratio') ? '' : unit.replace(/ (on the wire|per .*)$/, '')

/** The exponents of every growth that the newest run of a bench has. */
export const growthTable = (histories: Histories): string =>
  markdownTable([
    ['cost', 'at', 'exponent'],
    ...Object.values(histories).flatMap((history) =>
      (history.at(-1)?.figures ?? []).flatMap((line) => (line.unit === 'exponent' ? [growthRow(line)] : [])),
    ),
  ])

const growthRow = (line: FigureLine): string[] => [
  String(line['of']),
  `${Array.isArray(line['work']) ? line['work'].map(numberText).join('; ') : ''} ${line['in']}`,
  `${numberText(line.value)}${line.met === false ? ', short' : ''}`,
]

const aimText = ({ aim, met }: FigureLine): string => {
  if (aim === undefined) return ''
  const [sign = '', bound] = aim.split(' ')
  return `${sign === '<=' ? '≤' : '≥'} ${numberText(Number(bound))}${met === false ? ', **short**' : ''}`
}

const runText = ({ date, commit }: Result): string => `${date.slice(0, 10)} ${commit ?? ''}`.trim()

/** Three digits: more than any of the measurements reproduces. */
const numberText = (value: number): string =>
  value >= 100
    ? (value >= 1_000 ? Number(value.toPrecision(3)) : Math.round(value)).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)))
