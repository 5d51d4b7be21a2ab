import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { formatPlan } from './format-plan.ts'
import { printedPlan } from './print-plan.ts'
import { checkOf, fileOf, planOf } from './testing.ts'

const names = (number: number): string[] => Array.from({ length: number }, (_, n) => `check ${n}`)
const text = (unchanged: number): string =>
  formatPlan(
    planOf(
      [...names(unchanged).map((name) => fileOf(name)), fileOf('new')],
      [...names(unchanged).map((name) => checkOf(name)), checkOf('old')],
      { prune: true },
    ),
  )

test('prints each kind of step in its colour, and the same text without colours', () => {
  const printed = printedPlan(text(3), { hasColours: true })
  expect(printed).toContain('\u001B[32m+ new\u001B[39m')
  expect(printed).toContain('\u001B[31m- old\u001B[39m')
  expect(printed).toContain('\u001B[2m= check 0\u001B[22m')
  expect(stripVTControlCharacters(printed)).toBe(text(3))
  expect(printedPlan(text(3), { hasColours: false })).toBe(text(3))
})

test('prints many unchanged checks as their number', () => {
  const printed = printedPlan(text(500), { hasColours: false })
  expect(printed).toMatch(/^= 500 checks unchanged$/m)
  expect(printed.split('\n').length).toBeLessThan(20)
})
