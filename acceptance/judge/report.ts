import { percentile, type Kind, type Matrix, type Tally } from './tally.ts'
import { truths } from './world/truth.ts'

const answers = ['up', 'down', 'down_in_some_regions', 'blocked', 'no_data']
const statuses = ['operational', 'degraded', 'down', 'stale', 'unknown']
const nameWidth = 22
const cellWidth = 12

const line = (name: string, cells: readonly (string | number)[]): string =>
  name.padEnd(nameWidth) +
  cells.map((cell) => String(cell).padStart(Math.max(cellWidth, String(cell).length + 2))).join('')

const matrixText = (
  matrix: Matrix,
  kind: Kind,
  rows: readonly string[],
  columns: readonly string[],
): string[] => {
  const widths = columns.map((column) => Math.max(cellWidth, column.length + 2))
  const row = (name: string, cells: readonly (string | number)[]): string =>
    name.padEnd(nameWidth) + cells.map((cell, n) => String(cell).padStart(widths[n] ?? cellWidth)).join('')
  return [
    row('truth', columns),
    ...rows.map((truth) =>
      row(
        truth,
        columns.map((column) => matrix.of(kind, truth, column)),
      ),
    ),
  ]
}

const seconds = (ms: number): string => (Number.isFinite(ms) ? (ms / 1_000).toFixed(1) : 'never')

/** The report of a tally for people. */
export const reportText = (tally: Tally): string =>
  [
    `${tally.worlds} worlds, 40 services, 4 regions, each measured once in 60 s`,
    ...(['decided', 'undecided'] as const).flatMap((kind) => [
      '',
      kind === 'decided'
        ? 'answers when the evidence decides'
        : 'answers when it does not (our own network drops a few services)',
      ...matrixText(tally.answers, kind, truths, answers),
      '',
      'status of a check in these cases',
      ...matrixText(tally.checks, kind, ['operational', 'degraded', 'down', 'comes_and_goes'], statuses),
    ]),
    '',
    line('reported after (s)', ['changes', 'p50', 'p95', 'max']),
    ...[...tally.delays]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, delays]) => [
        `  ${name}`,
        line('', [
          delays.length,
          seconds(percentile(delays, 0.5)),
          seconds(percentile(delays, 0.95)),
          seconds(percentile(delays, 1)),
        ]),
      ]),
    '',
    'wrong, with examples by seed',
    ...[...tally.wrongs.found]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([key, { count, worlds, examples }]) => [
        `  ${key.replace('|', ': ')}: ${count} in ${worlds.size} worlds`,
        ...examples.map(
          ({ seed, name, service, atSeconds, summary }) =>
            `    seed ${seed} (${name}), service ${service} at ${atSeconds} s: ${summary}`,
        ),
      ]),
  ].join('\n')
