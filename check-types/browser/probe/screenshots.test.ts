import { expect, test } from 'vitest'
import { createScreenshots, screenshotEveryMs, retryWithinMs } from './screenshots.ts'

test('a check gets one screenshot in ten minutes, or that of its retry', () => {
  const pictures = createScreenshots()
  expect(pictures.isWanted('a', 0)).toBe(true)
  pictures.record('a', 1_000)
  expect(pictures.isWanted('b', 1_000)).toBe(true)
  expect(pictures.isWanted('a', 1_000 + retryWithinMs)).toBe(false)
  expect(pictures.isWanted('a', 1_000 + retryWithinMs - 1)).toBe(true)
  pictures.record('a', 1_200)
  expect(pictures.isWanted('a', 1_300)).toBe(false)
  expect(pictures.isWanted('a', 1_000 + screenshotEveryMs - 1)).toBe(false)
  expect(pictures.isWanted('a', 1_000 + screenshotEveryMs)).toBe(true)
})

test("an attempt that started before another's screenshot is not its retry", () => {
  const pictures = createScreenshots()
  pictures.record('a', 1_000)
  expect(pictures.isWanted('a', 999)).toBe(false)
})

test('the checks with the oldest screenshots are forgotten first', () => {
  const pictures = createScreenshots()
  for (let n = 0; n <= 10_000; n++) pictures.record(`check-${n}`, n)
  expect(pictures.isWanted('check-0', 60_000)).toBe(true)
  expect(pictures.isWanted('check-1', 60_000)).toBe(false)
})
