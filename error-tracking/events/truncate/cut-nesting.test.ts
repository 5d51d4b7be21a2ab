import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { cutDeeper } from '../raw/cut-text.ts'
import { cutNesting } from './cut-nesting.ts'
import { nestingMax, parseJson } from './parse-json.ts'

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const cutText = (text: string, depthMax: number): string =>
  textOf(cutNesting(new TextEncoder().encode(text), depthMax))

/** The same for a value, by recursion. */
const cutValue = (value: unknown, levels: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return cutDeeper
  return Array.isArray(value)
    ? value.map((entry) => cutValue(entry, levels - 1))
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutValue(one, levels - 1)]))
}

test('cuts any JSON text like a recursive cut of its value', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('[', '{"', '\\"]', '\\\\', '}', 'é"['))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      text,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
    ),
  }))
  forAll(
    [tree, fc.integer({ min: 0, max: 6 }), fc.constantFrom('', '  ')],
    { numRuns: 2_000 },
    (value, depth, space) => {
      const cut = cutText(JSON.stringify(value, null, space), depth)
      expect(JSON.parse(cut)).toEqual(cutValue(JSON.parse(JSON.stringify(value)), depth))
    },
  )
})

test('cuts 500,000 levels without a stack overflow, and leaves unclosed JSON invalid', () => {
  const deep = '['.repeat(500_000)
  expect(cutText(`${deep}${']'.repeat(500_000)}`, 2)).toBe(`[["${cutDeeper}"]]`)
  expect(cutText(deep, 2)).toBe(`[["${cutDeeper}"`)
  expect(parseJson(Buffer.from(deep))).toBeUndefined()
  const closed = `{"a":${'{"b":'.repeat(300_000)}1${'}'.repeat(300_000)},"c":2}`
  expect(parseJson(Buffer.from(closed))).toMatchObject({ c: 2 })
  expect(nestingMax).toBeLessThan(1_000)
})
