import { expect, test } from 'vitest'
import { newestFigures, readHistory, wholeRuns, type Result } from './results.ts'

const run = (date: string, ...figures: [string, number][]): Result => ({
  date,
  commit: 'abc1234',
  machine: { cpu: 'one', cores: 2, memoryGiB: 24, platform: '', node: '24.1.0', loadAverage: 0 },
  figures: figures.map(([figure, value]) => ({ bench: 'b', figure, value, unit: 'ms' })),
})
const [first, second, third] = [run('1', ['x', 1], ['y', 1]), run('2', ['x', 2]), run('3', ['x', 3])]

test('keeps the newest run, and figures of earlier runs that it did not measure', () => {
  expect(newestFigures([first, second, third])).toEqual([run('1', ['y', 1]), third])
})

test('a run of several commits counts once, with all its figures', () => {
  expect(wholeRuns([run('1', ['y', 1]), third, first, second, first])).toEqual([first, second, third])
})

test('reads committed results', async () => {
  const history = await readHistory('outage')
  expect(history.length).toBeGreaterThan(0)
  expect(history.at(-1)?.figures[0]?.bench).toBe('outage')
})
