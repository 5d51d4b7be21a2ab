import { expect, test } from 'vitest'
import { benches } from '../benches.ts'
import { figureLine } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { growthFigure } from '../growth.ts'
import type { Result } from '../results.ts'
import { headlines } from './headlines.ts'
import { growthTable, lastTable, wholeTable } from './last-table.ts'

const run = (bench: string, date: string, ...figures: Figure[]): Result => ({
  date: `${date}T10:00:00.000Z`,
  commit: 'abc1234',
  machine: { cpu: 'one', cores: 2, memoryGiB: 24, platform: '', node: '24.1.0', loadAverage: 0 },
  figures: figures.map((figure) => figureLine(bench, figure)),
})
const rowOf = (table: string, name: string): string =>
  table
    .split('\n')
    .find((line) => line.includes(`\`${name}\``))
    ?.replaceAll(/ +/g, ' ') ?? ''

test('every headline is of a bench that there is, and stands once', () => {
  const rows = headlines.flatMap((group) => group.rows)
  for (const { bench } of rows) expect([...benches.keys()]).toContain(bench)
  const names = rows.map(({ bench, figure }) => `${bench} ${figure}`)
  expect(new Set(names).size).toBe(names.length)
})

test('a headline is as it was measured last, short where it is, and said where nobody measured it', () => {
  const lag = (value: number): Figure => ({
    figure: 'mesh_lag_p99',
    value,
    unit: 'ms',
    aim: { atMost: 2_000 },
  })
  const partial = run('mesh', '2026-11-22', { figure: 'mesh_lag_p50', value: 1, unit: 'ms' })
  const history = [
    run('mesh', '2026-11-20', lag(1_000)),
    run('mesh', '2026-11-21', lag(2_345)),
    partial,
  ]
  const table = lastTable({ mesh: history })
  expect(rowOf(table, 'mesh_lag_p99')).toContain(
    '| 2,350 ms | at most 2000 | **short** | `mesh` `mesh_lag_p99` | 2026-11-21 abc1234 |',
  )
  expect(rowOf(table, 'mesh_to_raw_insert')).toContain('| not measured | | |')
})

test('growth has its work and its costs, each figure once and as it was measured last', () => {
  const growth = (factor: number) =>
    growthFigure({
      figure: 'x',
      of: 'an x',
      in: 'checks',
      unit: 'ms',
      steps: [1, 10, 100].map((work) => ({ work, cost: factor * work })),
    })
  const table = growthTable({
    b: [run('b', '2026-11-20', growth(1)), run('b', '2026-11-21', growth(2))],
  })
  expect(
    table
      .split('\n')
      .slice(2)
      .map((line) => line.replaceAll(/ +/g, ' ')),
  ).toEqual([
    '| an x | 1, 10, 100 checks | 2, 20, 200 ms | 1 | at most 1.1 | met | 2026-11-21 abc1234 |',
  ])
})

test('the whole table has the newest run of each bench by its name, with the machine and its pace', () => {
  const figure = { figure: 'x', value: 0.12345, unit: 'ratio' }
  const table = wholeTable({
    z: [run('z', '2026-11-20', figure)],
    a: [{ ...run('a', '2026-11-21', figure), pace: [52, 54.1] }],
  })
  expect(table.match(/^### .*/gm)).toEqual([
    '### a, 2026-11-21 abc1234, 2 x one, Node 24.1.0, pace 52 and 54.1 ms',
    '### z, 2026-11-20 abc1234, 2 x one, Node 24.1.0',
  ])
  expect(table).toContain('0.123')
})
