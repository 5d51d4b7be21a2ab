import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { parseJsonPath, valueAt, type PathPart } from './json-path.ts'
import { limits } from '../schema/limits.ts'

describe('accepted paths', () => {
  test.each<[string, PathPart[]]>([
    ['a', ['a']],
    ['a.b', ['a', 'b']],
    ['a.items[0].name', ['a', 'items', 0, 'name']],
    ['[0]', [0]],
    ['[0][12].x', [0, 12, 'x']],
    ['$.a', ['a']],
    ['$[0]', [0]],
    ['$["a b"].c', ['a b', 'c']],
    ["['it is'][3]", ['it is', 3]],
    ['["a.b[0]*"]', ['a.b[0]*']],
    ['[""]', ['']],
    ['a-b_c.ü', ['a-b_c', 'ü']],
    ['["a/b"].c', ['a/b', 'c']],
    ['a.😀', ['a', '😀']],
    ['a.0', ['a', '0']],
    ['a[999999999]', ['a', 999_999_999]],
  ])('%s', (text, parts) => expect(parseJsonPath(text)).toEqual({ ok: true, parts }))
})

describe('refused paths, with the position', () => {
  test.each<[string, number, string]>([
    ['', 0, 'empty'],
    ['$', 0, 'empty'],
    ['$.', 2, 'missing at the end'],
    ['a.', 2, 'missing at the end'],
    ['.a', 0, 'missing before the dot'],
    ['a..b', 1, 'recursive descent'],
    ['$..a', 1, 'recursive descent'],
    ['..a', 0, 'recursive descent'],
    ['*', 0, 'wildcards'],
    ['a.*', 2, 'wildcards'],
    ['a*', 1, 'wildcards'],
    ['a[*]', 2, 'wildcards'],
    ['a[?(@.b>1)]', 2, 'filters'],
    ['a[?@.b]', 2, 'filters'],
    ['a[(@.length-1)]', 2, 'one index'],
    ['a[-1]', 2, 'one index'],
    ['a[01]', 2, 'one index'],
    ['a[0:2]', 2, 'one index'],
    ['a[0,1]', 2, 'one index'],
    ['a[1000000000]', 2, 'one index'],
    ['a[]', 2, 'one index'],
    ['a[', 2, 'one index'],
    ['a[0', 2, 'one index'],
    ['a["b]', 2, 'one index'],
    ['a["b\\"c"]', 2, 'one index'],
    ['a[0]b', 4, 'a dot or a bracket'],
    ['$a', 1, 'a dot or a bracket'],
    ['a.[0]', 2, 'key is missing'],
    ['$.[0]', 2, 'key is missing'],
    ['a b', 1, 'a dot or a bracket'],
    [' a', 0, 'character'],
    ['a.(b)', 2, 'character'],
    ['a]', 1, 'a dot or a bracket'],
    ['/a/', 0, 'regular expressions'],
    ['a.b/c', 3, 'regular expressions'],
    ['$./^a/', 2, 'regular expressions'],
  ])('%s', (text, position, message) =>
    expect(parseJsonPath(text)).toEqual({
      ok: false,
      position,
      message: expect.stringContaining(message),
    }),
  )

  test('accepts a path of the maximum depth and refuses one more level', () => {
    const path = (levels: number): string => Array.from({ length: levels }, () => 'a').join('.')
    expect(parseJsonPath(path(limits.jsonPathDepthMax)).ok).toBe(true)
    expect(parseJsonPath(path(limits.jsonPathDepthMax + 1))).toMatchObject({
      ok: false,
      message: expect.stringContaining('deeper'),
    })
  })
})

describe('any path', () => {
  type Step = { part: PathPart; text: string }
  const plainKey = fc.stringMatching(/^[A-Za-z_ü-][A-Za-z0-9_ü-]{0,8}$/)
  const quotedKey = fc.string({ maxLength: 8 }).filter((key) => !/["\\]/.test(key))
  const spelled = fc.oneof(
    plainKey.map((key): Step => ({ part: key, text: `.${key}` })),
    quotedKey.map((key): Step => ({ part: key, text: `["${key}"]` })),
    fc.nat(999_999_999).map((index): Step => ({ part: index, text: `[${index}]` })),
  )
  const path = fc.array(spelled, { minLength: 1, maxLength: limits.jsonPathDepthMax })

  test('parses back to its parts, with and without the root', () => {
    forAll([path], (steps) => {
      const text = steps.map((step) => step.text).join('')
      const expected = { ok: true, parts: steps.map((step) => step.part) }
      expect(parseJsonPath(`$${text}`)).toEqual(expected)
      expect(parseJsonPath(text.replace(/^\./, ''))).toEqual(expected)
    })
  })

  test('is parsed, or refused with a position inside it', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'ab.[]"\'*?$0123()@:, ü'), maxLength: 20 })
    forAll([noise], { numRuns: 2_000 }, (text) => {
      const parsed = parseJsonPath(text)
      if (parsed.ok) expect(parsed.parts.length).toBeGreaterThan(0)
      else expect(parsed.position).toSatisfy((at: number) => at >= 0 && at <= text.length)
    })
  })

  /** The canonical form of parts: every key quoted, with the mark that it does not contain. */
  const print = (parts: readonly PathPart[]): string =>
    parts
      .map((part) => {
        if (typeof part === 'number') return `[${part}]`
        return part.includes('"') ? `['${part}']` : `["${part}"]`
      })
      .join('')
  const pathLike = fc.string({ unit: fc.constantFrom(...'aab.[]"\'*?$01()@:,/ ü'), maxLength: 16 })

  test('parses to the same parts after printing', () => {
    const anything = fc.oneof(
      pathLike,
      path.map((steps) => steps.map(({ text }) => text).join('')),
    )
    forAll([anything], { numRuns: 2_000 }, (text) => {
      const parsed = parseJsonPath(text)
      if (parsed.ok) expect(parseJsonPath(print(parsed.parts))).toEqual(parsed)
    })
  })

  test('with a pattern character outside of quotes is refused', () => {
    const sign = fc.constantFrom('*', '?', '..', '(', ')', '/', '[*]', '[?(@.a)]', '/.*/')
    const plain = fc.stringMatching(/^[a-z.[\]0-9]{0,8}$/)
    forAll([plain, sign, plain], { numRuns: 2_000 }, (before, found, after) => {
      expect(parseJsonPath(before + found + after)).toMatchObject({ ok: false })
    })
  })

  test('finds the value at the path', () => {
    forAll([path, fc.jsonValue()], (steps, leaf) => {
      const small = steps.map(({ part }) => (typeof part === 'number' ? part % 5 : part))
      const root = small.reduceRight<unknown>((inner, part) => {
        if (typeof part !== 'number') return Object.fromEntries([[part, inner]])
        return Array.from({ length: part + 1 }, (_, n) => (n === part ? inner : null))
      }, leaf)
      expect(valueAt(root, small)).toEqual(leaf)
    })
  })
})

describe('the value at a path', () => {
  const root: unknown = JSON.parse('{"a":{"b":null,"0":"zero"},"list":[1,[2]],"__proto__":{"x":1}}')
  test.each<[PathPart[], unknown]>([
    [['a', 'b'], null],
    [['a', 0], 'zero'],
    [['list', 1, 0], 2],
    [['list', 2], undefined],
    [['list', '1'], undefined],
    [['list', 'length'], undefined],
    [['a', 'b', 'c'], undefined],
    [['a', 'missing'], undefined],
    [['a', 'toString'], undefined],
    [['constructor'], undefined],
    [['__proto__', 'x'], 1],
  ])('%j', (parts, value) => expect(valueAt(root, parts)).toBe(value))
})
