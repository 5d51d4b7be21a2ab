import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { isNestedDeeper } from './json-nesting.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

test.each([
  ['the deepest that is allowed', nested(64), false],
  ['one deeper', nested(65), true],
  ['objects count like arrays', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, true],
  ['brackets in a string do not count', JSON.stringify('['.repeat(1_000)), false],
  ['nor after an escaped quote', `"\\"${'['.repeat(100)}"`, false],
  ['an escaped backslash ends before the quote', `["\\\\",${nested(64)}]`, true],
  ['neighbours do not add up', `[${Array.from({ length: 500 }, () => '[[]]').join()}]`, false],
  ['text that is cut off', '['.repeat(65), true],
  ['nothing', '', false],
])('%s', (_, text, deeper) => {
  expect(isNestedDeeper(bytes(text), 64)).toBe(deeper)
})

test('checks a million levels without recursion', () => {
  expect(isNestedDeeper(bytes('['.repeat(1_000_000)), 64)).toBe(true)
})

/** The depth of a parsed value, counted level by level. */
const depthOf = (value: unknown): number => {
  let depth = 0
  let level = [value]
  for (;;) {
    level = level.filter((each) => typeof each === 'object' && each !== null)
    if (level.length === 0) return depth
    depth++
    level = level.flatMap((each) => Object.values(each as object))
  }
}

test('matches the depth of the parsed value, for any value and spacing', () => {
  forAll([fc.jsonValue({ maxDepth: 8 }), fc.nat(9), fc.nat(3)], (value, max, space) => {
    const text = bytes(JSON.stringify(value, null, space))
    expect(isNestedDeeper(text, max)).toBe(depthOf(value) > max)
  })
})
