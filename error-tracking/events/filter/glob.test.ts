import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { globOf } from './glob.ts'

test.each([
  ['timeout', 'Timeout', true],
  ['timeout', 'timeout ', false],
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['*', 'line\nline', true],
  ['shop@1.*', 'shop@1.', true],
  ['shop@1.*', 'shop@1', false],
  ['shop@1.*', 'shop@11', false],
  ['*.chunk.js', 'main.chunk.js', true],
  ['*.chunk.js', 'main.chunk.js?', false],
  ['*ResizeObserver loop*', 'Error: resizeobserver LOOP limit', true],
  ['*ResizeObserver loop*', 'Error: ResizeObserver: loop', false],
  // parts do not overlap
  ['aba*aba', 'ababa', false],
  ['aba*aba', 'abaaba', true],
  ['*ab*ab*', 'ab', false],
  ['*ab*b', 'ab', false],
  ['*aab*', 'aaab', true],
  // no other character is special
  ['a?c', 'abc', false],
  ['a?c', 'A?C', true],
  ['[ab]', 'a', false],
  ['.*', '.anything', true],
  ['.*', 'anything', false],
  ['a\\*', 'a\\b', true],
  ['a**b', 'ab', true],
])('the pattern %j matches %j: %s', (pattern, text, matches) => {
  expect(globOf(pattern)(text)).toBe(matches)
})

/** Few letters, so that texts match often, and special characters of regular expressions. */
const letters = (more: readonly string[], maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', '.', '\n', '[', '\\', '$', ...more), maxLength })

test('any pattern matches like the equivalent regular expression', () => {
  const escaped = (part: string): string => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  forAll([letters(['*', '*', '*'], 8), letters([], 12)], { numRuns: 1_000 }, (pattern, text) => {
    const parts = pattern.split('*').map(escaped)
    const expected = new RegExp(`^${parts.join('[^]*')}$`, 'i')
    expect(globOf(pattern)(text)).toBe(expected.test(text))
  })
})

const units = 400_000

/**
 * A search with backtracking restarts at every position of these texts. It would take minutes and exceed the
 * test's timeout.
 */
test.each([
  ['*a*a*a*a*a*a*a*a*b', 'a'],
  [`*${'a'.repeat(units / 4)}b*`, 'a'],
  [`*${'ab'.repeat(units / 8)}c*`, 'ab'],
  ['*ab'.repeat(units / 8), 'a'],
])('matches the adversarial pattern %.20j in linear time', (pattern, part) => {
  expect(globOf(pattern)(part.repeat(units / part.length))).toBe(false)
})
