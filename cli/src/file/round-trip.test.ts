import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { FileCheckInput, toFileCheck } from './checks-file.ts'
import { parseChecksFile } from './parse-file.ts'
import { codeFrame, formatProblems } from './problems.ts'
import { anyChecks, anySpelling } from './testing.ts'
import { writeChecksFile } from './write-file.ts'

const formats = ['yaml', 'json'] as const
const comments = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 3 })

describe.each(formats)('%s', (format) => {
  test('reads written checks back unchanged', () => {
    forAll([anyChecks, comments], { numRuns: 500 }, (checks, comments) => {
      const text = writeChecksFile(checks, { format, comments })
      expect(parseChecksFile(text, format)).toStrictEqual({
        ok: true,
        file: { version: 1, checks },
        placeOf: expect.any(Function),
      })
      const read: unknown = format === 'yaml' ? parse(text) : JSON.parse(text)
      expect(read).toStrictEqual({ version: 1, checks })
    })
  })
})

/** Lines as people and mistakes write them: most files of them are wrong, some are right. */
const written = String.raw`
version: 1
checks:
checks: []
- name: a
- name: b # comment
  url: https://a.org
url: b
  - name: c
    url: x
    regions: [fra, iad]
    assertionStatusMin: 200
  regions: [fra,
  iad]
  regions:
  - fra
    - iad
  "url": "a
  b"
# comment
  # comment
---
...
? a
: b
-
- - a
- &a
- *a
  !a b
  name: |
  name: >-
{a: b}
%A
a: b: c
"a": b
- a: b
  c: d
[a, b]: c
'a''b': 'c'
<<: a
  name: ~
  intervalSeconds: 60
  assertionJsonPath: a
  assertionJsonOp: equals
  assertionJsonValue: 5`
const marks = ['', ' ', '\t', '\r', '\u0000', '\ufeff', '[', ']', '{', '"', "'", ',', ':', '#', '&a']
const scrap = fc.constantFrom(...written.slice(1).split('\n'), ...marks)
const lines = fc.array(scrap, { maxLength: 12 }).map((all) => all.join('\n'))
const pieces = fc.array(fc.oneof(scrap, fc.constantFrom('\n', '\n  ', ' ', ': ', ', ')), {
  maxLength: 20,
})
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[-a:?[\]{},#&*!|>'"%@` \n\t]{0,30}$/),
  lines,
  pieces.map((all) => all.join('')),
  fc.tuple(anySpelling, fc.nat(), fc.nat(4), scrap).map(([{ text }, at, length, other]) => {
    const start = at % text.length
    return text.slice(0, start) + other + text.slice(start + length)
  }),
)

test('reads checks in every spelling of the subset', () => {
  forAll([anySpelling], { numRuns: 500 }, ({ checks, text }) => {
    expect(parseChecksFile(text, 'yaml')).toStrictEqual({
      ok: true,
      file: { version: 1, checks },
      placeOf: expect.any(Function),
    })
    expect(parse(text)).toStrictEqual({ version: 1, checks })
  })
})

/** A file in the library's reading, brought to the form that ours has. */
const reference = (text: string): unknown => {
  const { version, checks } = parse(text) as { version: unknown; checks: unknown[] }
  return { version, checks: checks.map((check) => toFileCheck(FileCheckInput.parse(check))) }
}

test('reads what a complete YAML parser reads', () => {
  let cases = 0
  let accepted = 0
  forAll([anyText], { numRuns: 5_000 }, (text) => {
    cases += 1
    const parsed = parseChecksFile(text, 'yaml')
    if (!parsed.ok) return
    accepted += 1
    expect(parsed.file).toStrictEqual(reference(text))
  })
  expect(accepted).toBeGreaterThan(cases / 250)
})

const anyJson = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[-a:[\]{},"\\u0 1.e\n]{0,30}$/),
  fc.json(),
  fc.tuple(anyChecks, fc.nat(), fc.nat(9), fc.string()).map(([checks, at, length, other]) => {
    const text = writeChecksFile(checks, { format: 'json', comments: [] })
    const start = at % text.length
    return text.slice(0, start) + other + text.slice(start + length)
  }),
)

test('accepts and reads JSON exactly as JSON.parse does', () => {
  forAll([anyJson], { numRuns: 2_000 }, (text) => {
    const parsed = parseChecksFile(text, 'json')
    if (!parsed.ok) return
    const { version, checks } = JSON.parse(text.replace(/^\ufeff/, '')) as {
      version: unknown
      checks: unknown[]
    }
    const expected = checks.map((check) => toFileCheck(FileCheckInput.parse(check)))
    expect(parsed.file).toStrictEqual({ version, checks: expected })
  })
})

test.each(formats)('any text as %s has an answer, and each problem a place in it', (format) => {
  forAll([format === 'yaml' ? anyText : anyJson], { numRuns: 3_000 }, (text) => {
    const parsed = parseChecksFile(text, format)
    if (parsed.ok) return
    expect(parsed.problems.length).toBeGreaterThan(0)
    const rows = text.replace(/^\ufeff/, '').split('\n')
    for (const problem of parsed.problems) {
      const row = rows[problem.line - 1]
      expect(row).toBeDefined()
      expect(problem.column).toBeGreaterThan(0)
      expect(problem.column).toBeLessThanOrEqual((row ?? '').length + 1)
      expect(codeFrame(text, problem)).toMatch(/\^$/)
    }
    expect(formatProblems('a.yaml', text, parsed.problems)).toContain('a.yaml:')
  })
})
