import fc from 'fast-check'
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
  // one place may not serve as two
  ['aba*aba', 'ababa', false],
  ['aba*aba', 'abaaba', true],
  ['*ab*ab*', 'ab', false],
  ['*ab*b', 'ab', false],
  ['*aab*', 'aaab', true],
  // nothing else is special
  ['a?c', 'abc', false],
  ['a?c', 'A?C', true],
  ['[ab]', 'a', false],
  ['.*', '.anything', true],
  ['.*', 'anything', false],
  ['a\\*', 'a\\b', true],
  ['a**b', 'ab', true],
])('%j of %j: %s', (pattern, text, matches) => {
  expect(globOf(pattern)(text)).toBe(matches)
})

/** Few letters, so that they meet; all that a regular expression would read as something else. */
const letters = (more: readonly string[], maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', '.', '\n', '[', '\\', '$', ...more), maxLength })

test('any pattern matches like a brute-force search', () => {
  const escaped = (part: string): string => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  fc.assert(
    fc.property(letters(['*', '*', '*'], 8), letters([], 12), (pattern, text) => {
      const parts = pattern.split('*').map(escaped)
      const byHand = new RegExp(`^${parts.join('[^]*')}$`, 'i')
      expect(globOf(pattern)(text)).toBe(byHand.test(text))
    }),
    { numRuns: 1_000 },
  )
})

const units = 400_000

/**
 * Each makes a search that looks back begin again at every place: by the product of both lengths it
 * would take minutes, and the end of the test.
 */
test.each([
  ['*a*a*a*a*a*a*a*a*b', 'a'],
  [`*${'a'.repeat(units / 4)}b*`, 'a'],
  [`*${'ab'.repeat(units / 8)}c*`, 'ab'],
  ['*ab'.repeat(units / 8), 'a'],
])('a long text of %.20j...', (pattern, part) => {
  expect(globOf(pattern)(part.repeat(units / part.length))).toBe(false)
})
