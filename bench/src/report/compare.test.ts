import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { FigureLine } from '../harness/figure.ts'
import type { Machine } from '../harness/machine.ts'
import type { Result } from '../harness/results.ts'
import { compareHistory, directionOf, isOfPeer } from './changes.ts'
import { printedComparison } from './compare.ts'

const machine: Machine = {
  cpu: 'one',
  cores: 2,
  memoryGiB: 24,
  platform: 'linux-x64',
  node: '24.1.0',
  loadAverage: 0,
}
const line = (value: number, more: Partial<FigureLine> = {}): FigureLine => ({
  bench: 'b',
  figure: 'x',
  value,
  unit: 'ms',
  ...more,
})
const run = (figures: FigureLine[], more: Partial<Result> = {}): Result => ({
  date: '2026-11-20T10:00:00.000Z',
  commit: 'aaa1111',
  machine,
  figures,
  ...more,
})
const verdictsOf = (...history: Result[]) =>
  compareHistory('b', history, null)?.changes.map(({ verdict }) => verdict)

test.each<[Partial<FigureLine>, ReturnType<typeof directionOf>]>([
  [{ unit: 'ms' }, 'less'],
  [{ unit: 'CPU ms' }, 'less'],
  [{ unit: 'CPU s' }, 'less'],
  [{ unit: 'bytes on the wire' }, 'less'],
  [{ unit: 'a month per region' }, 'less'],
  [{ unit: 'requests' }, 'less'],
  [{ unit: 'requests/s' }, 'more'],
  [{ unit: 'reports/min' }, 'more'],
  [{ unit: 'ratio' }, null],
  [{ unit: 'cores' }, null],
  [{ unit: 'msomething' }, null],
  [{ unit: 'ratio', aim: '>= 0.6' }, 'more'],
  [{ unit: 'ratio', aim: '<= 1.1' }, 'less'],
])('of %j better is %s', (figure, direction) => expect(directionOf(line(1, figure))).toBe(direction))

test.each([
  ['mesh_raw_insert_rows_per_second', true],
  ['mesh_to_raw_insert', false],
  ['https_openssl_cpu_per_1000_checks', true],
  ['https_agent_to_openssl', false],
  ['noop_1_data_wall', true],
  ['noop_1_over_data', false],
  ['readings_raw_bytes_per_reading', false],
  ['list_by_hand_latency_p99', true],
  ['empty_wall', true],
])('%s is of a peer: %s', (figure, isPeer) => expect(isOfPeer(figure)).toBe(isPeer))

describe('a figure', () => {
  test.each<[string, Partial<FigureLine>, number, number, string]>([
    ['within 15 %', {}, 100, 115, 'same'],
    ['beyond', {}, 100, 115.1, 'worse'],
    ['better by as much', {}, 100, 84.9, 'better'],
    ['of speed that sank', { unit: 'requests/s' }, 115.1, 100, 'worse'],
    ['of speed that rose', { unit: 'requests/s' }, 100, 200, 'better'],
    ['from nothing to something', { unit: 'count' }, 0, 1, 'worse'],
    ['that stayed nothing', { unit: 'count' }, 0, 0, 'same'],
    ['of a peer', { figure: 'raw_insert_wall' }, 100, 300, 'peer'],
  ])('%s', (_, more, before, after, verdict) =>
    expect(verdictsOf(run([line(before, more)]), run([line(after, more)]))).toEqual([verdict]),
  )

  test.each<[string, string, number[] | undefined, number[] | undefined, number, string]>([
    ['as much as the machine', 'ms', [50, 50], [65, 65], 130, 'unsure'],
    ['a little more than it', 'CPU s', [50, 50], [65, 65], 149, 'unsure'],
    ['more than it and 15 %', 'CPU s', [50, 50], [65, 65], 150, 'worse'],
    ['while it was as fast as before', 'ms', [50, 50], [50, 50], 130, 'worse'],
    ['while it became faster', 'ms', [65, 65], [50, 50], 130, 'worse'],
    ['with the machine, but of no time', 'bytes', [50, 50], [65, 65], 130, 'worse'],
    ['better, as the machine', 'ms', [65, 65], [50, 50], 77, 'unsure'],
    ['and the pace before is unknown', 'ms', undefined, [65, 65], 130, 'worse'],
    ['and the pace now is unknown', 'ms', [50, 50], undefined, 130, 'worse'],
    ['as much as it at least did', 'ms', [40, 50], [65, 80], 149, 'unsure'],
    ['more than it at least did', 'ms', [40, 50], [65, 80], 150, 'worse'],
    ['while it was at times as fast as before', 'ms', [40, 60], [50, 80], 130, 'worse'],
  ])('that moved %s (%s)', (_, unit, paceBefore, paceAfter, value, verdict) => {
    const paced = (pace: number[] | undefined) => (pace === undefined ? {} : { pace })
    const before = run([line(100, { unit })], paced(paceBefore))
    expect(verdictsOf(before, run([line(value, { unit })], paced(paceAfter)))).toEqual([verdict])
  })

  test.each<[number[], number[], string]>([
    [[90, 100, 110, 120, 130], [125, 130, 140, 150, 160], 'worse'],
    [[90, 100, 110, 120, 130], [105, 115, 140, 150, 160], 'unsure'],
    [[90, 110], [95, 140], 'worse'],
  ])('with the runs %j and then %j', (before, after, verdict) =>
    expect(verdictsOf(run([line(110, { runs: before })]), run([line(140, { runs: after })]))).toEqual([
      verdict,
    ]),
  )
})

describe('it is compared with', () => {
  const newest = run([line(200)], { date: '2026-11-22T10:00:00.000Z', commit: 'ccc' })
  const of = (against: string | null, ...earlier: Result[]) =>
    compareHistory('b', [...earlier, newest], against)?.changes.map(({ before }) => before.value)

  test('the last run that has it', () => {
    const partial = run([line(1, { figure: 'y' })])
    expect(of(null, run([line(1)]), run([line(2)]), partial)).toEqual([2])
  })
  test.each<[string, Partial<Machine>]>([
    ['processor', { cpu: 'two' }],
    ['number of cores', { cores: 3 }],
    ['major version of Node', { node: '26.0.0' }],
  ])('none on a machine with another %s', (_, other) =>
    expect(of(null, run([line(1)], { machine: { ...machine, ...other } }))).toEqual([]),
  )
  test('a run under another minor version of Node', () =>
    expect(of(null, run([line(1)], { machine: { ...machine, node: '24.9.0' } }))).toEqual([1]))
  test.each([
    ['aaa', [1]],
    ['bbb', [2]],
    ['2026-11-20', [1]],
    ['2026-11-21', [2]],
    ['2026-11-19', []],
    ['ddd', []],
  ])('the last of %s where that is asked for', (against, values) => {
    const second = run([line(2)], { date: '2026-11-21T23:59:00.000Z', commit: 'bbb2222' })
    expect(of(against, run([line(1)]), second)).toEqual(values)
  })
})

test('without history, or with a first run, there is nothing to compare', () => {
  expect(compareHistory('b', [], null)).toBeNull()
  const first = compareHistory('b', [run([line(1)])], null)
  expect(first).toMatchObject({ changes: [], fresh: ['x'] })
  expect(first === null ? '' : printedComparison(first, false)).toContain('no earlier run to compare')
})

test('two runs are never each worse than the other', () => {
  const value = fc.double({ min: 1e-3, max: 1e6, noNaN: true })
  const series = fc.array(value, { minLength: 3, maxLength: 9 })
  forAll([value, value, series, series, series, series], (a, b, ofA, ofB, paceA, paceB) => {
    const one = run([line(a, { runs: ofA })], { pace: paceA })
    const other = run([line(b, { runs: ofB })], { pace: paceB })
    const there = verdictsOf(one, other)?.[0]
    const back = verdictsOf(other, one)?.[0]
    if (there === 'worse') expect(back).not.toBe('worse')
  })
})

test('prints what moved, the worst first, and how the peers and the machine moved', () => {
  const names = ['fast', 'slow', 'still', 'constant_p99']
  const figures = (values: number[]) => values.map((value, at) => line(value, { figure: names[at] ?? '' }))
  const before = run(figures([100, 100, 100, 100]), { pace: [50, 50] })
  const newer = { date: '2026-11-22T10:00:00.000Z', commit: 'c', pace: [53, 54] }
  const after = run(figures([50, 130, 101, 120]), newer)
  const comparison = compareHistory('b', [before, after], null)
  expect(comparison === null ? '' : printedComparison(comparison, false)).toBe(
    [
      'b: 2026-11-22T10:00 c',
      'figure  before  now  unit  worse by          run before',
      'slow       100  130  ms       +30 %  worse   2026-11-20T10:00 aaa1111',
      'fast       100   50  ms       -50 %  better  2026-11-20T10:00 aaa1111',
      '  of 4: 1 worse by more than 15 %, 1 better, 0 within noise, 1 unchanged; median of the peers +20 %; machine slower by +6 %',
    ].join('\n'),
  )
})
