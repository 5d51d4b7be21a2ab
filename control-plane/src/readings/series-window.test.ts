import { expect, test } from 'vitest'
import { seriesWindow } from './get-series.ts'

const now = Date.parse('2026-11-20T12:34:56.789Z')
const at = (text: string): number => Date.parse(text)

test.each([
  [{}, '2026-11-19T12:30:00Z', '2026-11-20T12:35:00Z', 300],
  [{ step: 3_600 }, '2026-11-19T12:00:00Z', '2026-11-20T13:00:00Z', 3_600],
  [{ from: at('2026-11-20T12:00:00Z') }, '2026-11-20T12:00:00Z', '2026-11-20T12:35:00Z', 60],
  [{ from: at('2026-11-10T12:00:00Z') }, '2026-11-10T12:00:00Z', '2026-11-20T13:00:00Z', 3_600],
  [{ from: at('2024-11-20T12:00:00Z') }, '2024-11-20T00:00:00Z', '2026-11-21T00:00:00Z', 86_400],
  [{ from: 30_000, to: 90_001, step: 60 }, '1970-01-01T00:00:00Z', '1970-01-01T00:02:00Z', 60],
])('%j is cut at whole steps of UTC', (asked, from, to, stepSeconds) => {
  expect(seriesWindow(asked, now)).toEqual({ fromMs: at(from), toMs: at(to), stepSeconds })
})

test('lists all problems at once', () => {
  expect(seriesWindow({ from: 2, to: 1, step: 61 }, now)).toEqual({
    problems: [
      { path: 'from', message: 'must be before to' },
      { path: 'step', message: 'must be a multiple of 60 seconds' },
    ],
  })
})
