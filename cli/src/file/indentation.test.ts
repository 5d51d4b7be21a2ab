import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { parseChecksFile } from './parse-file.ts'
import type { Problem } from './problems.ts'

const problemsOf = (lines: readonly string[]): Problem[] => {
  const parsed = parseChecksFile(lines.join('\n'), 'yaml')
  return parsed.ok ? [] : parsed.problems
}
const said = (lines: readonly string[]): string[] =>
  problemsOf(lines).map(({ line, column, path, message }) => `${line}:${column}: ${path}: ${message}`)
const head = ['version: 1', 'checks:', '  - name: a', '    url: https://a.org']

test('checks the fields below a line with too little indentation', () => {
  expect(said([...head, '   bad: "1"', '    regions: [xx]', '    intervalSeconds: 0'])).toEqual([
    '5:4: : is indented by 3 where 4 is expected',
    '6:15: checks[0].regions[0]: a region is three lower-case letters, such as fra, or an agent of the account: private-<its id>',
    '7:22: checks[0].intervalSeconds: must be at least 1',
  ])
})

test('checks the fields after plain text that absorbs the next line', () => {
  const lines = [...head, '   bad: 1', '    regions: [fra,', '      xx]', '    intervalSeconds: 0']
  expect(said(lines)).toEqual([
    '5:4: : is indented by 3 where 4 is expected',
    '8:22: checks[0].intervalSeconds: must be at least 1',
  ])
})

test('reports each wrongly indented line, and does not read what belongs to it', () => {
  expect(said([...head, '   regions:', '    - xx', '   - yy', '    retries: 1'])).toEqual([
    '5:4: : is indented by 3 where 4 is expected',
    '7:4: : is indented by 3 where 2 is expected',
  ])
  expect(said([...head.slice(0, 3), '   url: 5', '   regions: [xx]'])).toEqual([
    '4:4: : is indented by 3 where 4 is expected',
    '5:4: : is indented by 3 where 4 is expected',
  ])
})

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

test('reports the same other problems before and after an indentation is fixed', () => {
  let judged = 0
  forAll([file], { numRuns: 500 }, ({ right, wrong, line }) => {
    const found = problemsOf(wrong)
    expect(found).toContainEqual(expect.objectContaining({ line, path: '' }))
    const mended = new Set(problemsOf(right).map(({ line, path }) => `${line} ${path}`))
    const others = found.filter(({ line: at }) => at !== line)
    judged += others.length
    const gone = others.filter(({ line, path }) => !mended.has(`${line} ${path}`))
    expect(gone).toStrictEqual([])
  })
  expect(judged).toBeGreaterThan(100)
})
