import { expect, test } from 'vitest'
import type { FileCheck } from './checks-file.ts'
import { writeChecksFile, yamlText } from './write-file.ts'

const full: FileCheck = {
  assertionJsonValue: '200',
  assertionJsonOp: 'equals',
  assertionJsonPath: 'a.items[0].name',
  assertionBodyCaseSensitive: false,
  assertionBodyValue: '"ok": true',
  assertionBodyOp: 'contains',
  assertionStatusMax: 299,
  assertionStatusMin: 200,
  regions: ['fra', 'iad'],
  intervalSeconds: 60,
  url: 'https://example.com/health?full=1#top',
  name: 'Shop, front page',
}

test('writes fields in one order', () => {
  const comments = ['Checks of Acme', 'Left out: a\nversion: 2', '']
  expect(writeChecksFile([full, { url: 'u', name: 'b' }], { format: 'yaml', comments }))
    .toBe(`# Checks of Acme
# Left out: a\\nversion: 2
#
version: 1
checks:
  - name: Shop, front page
    url: "https://example.com/health?full=1#top"
    intervalSeconds: 60
    regions: [fra, iad]
    assertionStatusMin: 200
    assertionStatusMax: 299
    assertionBodyOp: contains
    assertionBodyValue: "\\"ok\\": true"
    assertionBodyCaseSensitive: false
    assertionJsonPath: a.items[0].name
    assertionJsonOp: equals
    assertionJsonValue: "200"
  - name: b
    url: u
`)
})

test('writes JSON with two spaces, in the same order, without comments', () => {
  expect(writeChecksFile([{ url: 'u', name: 'b' }], { format: 'json', comments: ['x'] })).toBe(
    `{
  "version": 1,
  "checks": [
    {
      "name": "b",
      "url": "u"
    }
  ]
}
`,
  )
})

test('writes no checks as an empty list', () => {
  expect(writeChecksFile([], { format: 'yaml', comments: [] })).toBe('version: 1\nchecks: []\n')
})

test.each([
  ['Zürich API', 'Zürich API'],
  ['https://a.org/b?c=d&e=1', 'https://a.org/b?c=d&e=1'],
  ['a:b', 'a:b'],
  ['日本', '日本'],
  ['a:', '"a:"'],
  ['a: b', '"a: b"'],
  ['a #b', '"a #b"'],
  ['a ', '"a "'],
  [' a', '" a"'],
  ['', '""'],
  ['No', '"No"'],
  ['nobody', 'nobody'],
  ['null', '"null"'],
  ['1.0', '"1.0"'],
  ['2026-01-01', '"2026-01-01"'],
  ['-', '"-"'],
  ['a"b', '"a\\"b"'],
  ["it's", '"it\'s"'],
  ['a\\b', '"a\\\\b"'],
  ['👍 up', '"👍 up"'],
  ['a\u0000\n\t\u001b\u0085\u2028\ufeff\u{e0001}', '"a\\u0000\\n\\t\\u001b\\u0085\\u2028\\ufeff\\U000e0001"'],
])('%j is written as %s', (text, expected) => {
  expect(yamlText(text)).toBe(expected)
})
