import { expect, test } from 'vitest'
import { benches } from '../benches.ts'
import { figureLine, type Figure } from '../harness/figure.ts'
import { growthFigure } from '../harness/growth.ts'
import type { Result } from '../harness/results.ts'
import { headlines } from './headlines.ts'
import { growthTable, headlineTable } from './readme-tables.ts'

const run = (bench: string, date: string, ...figures: Figure[]): Result => ({
  date: `${date}T10:00:00.000Z`,
  commit: 'abc1234',
  machine: { cpu: 'one', cores: 2, memoryGiB: 24, platform: '', node: '24.1.0', loadAverage: 0 },
  figures: figures.map((figure) => figureLine(bench, figure)),
})
const rowsOf = (table: string): string[] => table.split('\n').map((line) => line.replaceAll(/ +/g, ' '))

test('every headline belongs to a bench, and stands once', () => {
  for (const { bench } of headlines) expect(benches.map(({ name }) => name)).toContain(bench)
  const names = headlines.map(({ bench, figure }) => `${bench} ${figure}`)
  expect(new Set(names).size).toBe(names.length)
})

test('a headline shows the newest measurement, marks what is short and what was never measured', () => {
  const lag = (value: number): Figure => ({
    figure: 'mesh_lag_p99',
    value,
    unit: 'ms',
    aim: { atMost: 2_000 },
  })
  const partial = run('mesh', '2026-11-22', { figure: 'mesh_lag_p50', value: 1, unit: 'ms' })
  const mesh = [run('mesh', '2026-11-20', lag(1_000)), run('mesh', '2026-11-21', lag(2_345)), partial]
  const rows = rowsOf(headlineTable({ mesh }))
  expect(rows).toContain('| measured to stored and visible, p99 | 2,350 ms | ≤ 2,000, **short** | mesh |')
  expect(rows.at(-1)).toBe('Measured: mesh 2026-11-21 abc1234.')
  expect(rows).toContain('| agent to ClickHouse through NATS, judged | not measured | | mesh |')
})

test('growth shows the work and the exponent of the newest run', () => {
  const growth = (factor: number) =>
    growthFigure({
      figure: 'x',
      of: 'an x',
      in: 'checks',
      unit: 'ms',
      steps: [1, 10, 100].map((work) => ({ work, cost: factor * work })),
    })
  const b = [run('b', '2026-11-20', growth(1)), run('b', '2026-11-21', growth(2))]
  expect(rowsOf(growthTable({ b })).slice(2)).toEqual(['| an x | 1; 10; 100 checks | 1 |'])
})
