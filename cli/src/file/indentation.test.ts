import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { parseChecksFile } from './parse-file.ts'
import type { Problem } from './problems.ts'

const problemsOf = (lines: readonly string[]): Problem[] => {
  const parsed = parseChecksFile(lines.join('\n'), 'yaml')
  return parsed.ok ? [] : parsed.problems
}
/** Right and wrong values; no two fields have a rule in common. */
const field = fc.constantFrom(
  ['url: https://a.org', 'url: 5', 'url: "a"', 'url: *a', 'url: |\n      a'],
  ['intervalSeconds: 0', 'intervalSeconds: "5"', 'intervalSeconds: 060', 'intervalSeconds: 60'],
  ['regions: [xx]', 'regions: [fra, &a iad]', 'regions:\n      - xx', 'regions:\n    - fra'],
  ['regions: [fra,\n      iad]', 'regions: [xx,\n      iad\n     ]', 'regions: {a: b}'],
  ['assertionStatusMin: 99', 'assertionStatusMin: 200 # ok', 'assertionStatusMin: !a 200'],
  ['assertionBodyCaseSensitive: null', 'retries: 3', '"retries": "a\n      b"', 'retries:'],
)
const fields = fc.uniqueArray(
  field.chain((values) => fc.constantFrom(...values)),
  { minLength: 1, maxLength: 6, selector: (text) => /\w+/.exec(text)?.[0] },
)
const file = fc
  .record({
    fields,
    at: fc.nat(),
    more: fc.constantFrom([], ['  - name: b', '    url: 5'], ['owner: me']),
  })
  .map(({ fields, at, more }) => {
    const start = ['version: 1', 'checks:', '  - name: a']
    const right = [...start, ...fields.map((text) => `    ${text}`), ...more]
    const index = start.length + (at % fields.length)
    const wrong = right.map((text, line) => (line === index ? text.slice(1) : text))
    return { right, wrong, line: right.slice(0, index).join('\n').split('\n').length + 1 }
  })

test('a wrong indentation is reported at its line, and what is above it as without it', () => {
  let judged = 0
  forAll([file], { numRuns: 500 }, ({ right, wrong, line }) => {
    const above = (lines: readonly string[]): Problem[] =>
      problemsOf(lines).filter(({ line: at, path }) => at < line && path !== 'checks[0]')
    expect(problemsOf(wrong)).toContainEqual(expect.objectContaining({ line, path: '' }))
    const mended = above(right).filter(({ message }) => !message.startsWith('is missing'))
    const found = above(wrong)
    judged += found.length
    expect(found).toStrictEqual(mended)
  })
  expect(judged).toBeGreaterThan(50)
})
