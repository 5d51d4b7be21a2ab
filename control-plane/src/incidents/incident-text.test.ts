import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { expect, test } from 'vitest'
import { leavingText } from './incident-text.ts'

const left = (language: string, reason: string | null): string =>
  leavingText(wordsOf(language), [{ displayName: 'web', to: 'degraded', reason }])

test.each([
  ['1 of 2 regions fail (fra): no', ' (no)'],
  ['blocked (fra): refused', ' (refused)'],
  ['1 of 2 regions fail (fra): no; 1 of 3 regions could not vote (iad: quarantined)', ' (no)'],
  ['recovering (fra): not yet two good readings in a row', ''],
  ['2 of 4 regions are slow (fra, iad): over 150 ms in two readings in a row', ''],
  [null, ''],
])('a German page gets what is measured and no English sentence of ours: %s', (reason, shown) => {
  expect(left('de', reason)).toBe(`Nicht mehr ausgefallen, aber beeinträchtigt: web${shown}.`)
})

test('an English page gets the whole reason', () => {
  const reason = '1 of 2 regions fail (fra): no'
  expect(left('en', reason)).toBe(`No longer down but degraded: web (${reason}).`)
})
