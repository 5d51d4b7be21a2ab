import { describe, expect, test } from 'vitest'
import { fileLimits } from './checks-file.ts'
import { parseChecksFile } from './parse-file.ts'

const said = (text: string, format: 'yaml' | 'json' = 'yaml'): string[] => {
  const parsed = parseChecksFile(text, format)
  return parsed.ok
    ? []
    : parsed.problems.map(({ line, column, path, message }) => `${line}:${column}: ${path}: ${message}`)
}
const file = (...checks: string[]): string => ['version: 1', 'checks:', ...checks].join('\n')
const a = '  - name: a\n    url: https://a.org'

test('lists all syntax and value problems at once, in order', () => {
  expect(
    said(
      [
        'version: 2',
        'status_pages: []',
        'checks:',
        '  - name: a',
        '    url: &x https://a.org',
        '    intervalSeconds: 0',
        '    retries: 3',
        '  - name: a',
        '    regions: [fra, Fra]',
        '    assertionBodyValue: x',
        '  - name: |',
        '      b',
        '    url: https://b.org',
        '    assertionJsonPath: a..b',
        '    assertionJsonOp: exists',
        'owner: me',
      ].join('\n'),
    ),
  ).toStrictEqual([
    '1:10: version: must be the number 1, the only version',
    '2:1: status_pages: status pages are unsupported: version 1 of the file declares checks only',
    '5:10: : anchors (&) are not supported: write the value where it is used',
    '6:22: checks[0].intervalSeconds: must be at least 1',
    '7:5: checks[0].retries: unknown field',
    '8:5: checks[1].url: is missing',
    '8:5: checks[1].assertionBodyOp: is required with assertionBodyValue: contains or not_contains',
    '8:11: checks[1].name: repeats the name of the check at line 4, column 11: names must be unique',
    '9:20: checks[1].regions[1]: a region is three lower-case letters, such as fra, or an agent of the account: private-<its id>',
    '11:11: : block scalars (| and >) are not supported: write the text in quotes',
    '14:24: checks[2].assertionJsonPath: recursive descent is not allowed (at character 2)',
    '16:1: owner: unknown field',
  ])
})

test('does not report a refused field as missing too', () => {
  expect(said(file('  - name: a', '    url: *x'))).toHaveLength(1)
  expect(said(file('  - name: a', '      url: https://a.org'))).toHaveLength(1)
  expect(said(file('  - name: "a"', '     url: https://a.org'))).toHaveLength(1)
  expect(said(file('  - name: "a"', '   url: https://a.org'))).toHaveLength(1)
  expect(said(file('  - name: "a"', '\turl: https://a.org'))).toHaveLength(1)
  expect(said(file('  - name: a', '    ? url', '    : https://a.org'))).toHaveLength(1)
  expect(said('{"version":1,"checks":[{"name":"a" "url":"b"}]}', 'json')).toHaveLength(1)
})

describe('refuses other resources by name', () => {
  const spellings = `statusPages status_pages status-pages StatusPage components component
    notificationChannels notification-channels notification_channels alertRules alert-rules`
  test.each(spellings.split(/\s+/))('%s', (key) => {
    expect(said(`${file(a)}\n${key}: []`)).toStrictEqual([
      expect.stringMatching(new RegExp(`^5:1: ${key}: .* are unsupported: version 1`)),
    ])
  })

  test.each(['alerts', 'pages', 'check', '__proto__', 'constructor'])('not %s', (key) => {
    expect(said(`${file(a)}\n${key}: []`)).toStrictEqual([`5:1: ${key}: unknown field`])
  })
})

test('refuses inherited object properties as fields', () => {
  expect(said(file(a, '    __proto__: x', '    toString: y', '    type: http'))).toStrictEqual([
    '5:5: checks[0].__proto__: unknown field',
    '6:5: checks[0].toString: unknown field',
    '7:5: checks[0].type: unknown field',
  ])
})

test('accepts only the number 1 as version', () => {
  for (const version of ['"1"', 'one', '2', 'null', '[1]', 'true']) {
    expect(said(`checks: []\nversion: ${version}`)).toStrictEqual([
      '2:10: version: must be the number 1, the only version',
    ])
  }
  expect(said('checks: []')).toStrictEqual(['1:1: version: is missing: add version: 1'])
  expect(said('version: 1')).toStrictEqual(['1:1: checks: is missing: add a list of checks, or [] for none'])
  expect(said('version: 1\nchecks:')).toStrictEqual(['2:1: checks: must be a list of checks, or [] for none'])
  expect(said('version: 1\nchecks: []')).toStrictEqual([])
})

test('accepts null for optional fields only', () => {
  expect(
    parseChecksFile(file(a, '    assertionStatusMin: null', '    assertionBodyOp: ~'), 'yaml'),
  ).toStrictEqual({
    ok: true,
    file: { version: 1, checks: [{ name: 'a', url: 'https://a.org' }] },
    placeOf: expect.any(Function),
  })
  expect(said(file(a, '    intervalSeconds: null', '    regions:'))).toStrictEqual([
    '5:22: checks[0].intervalSeconds: must be a number',
    '6:5: checks[0].regions: must be a list',
  ])
})

test('refuses text that the API cannot store', () => {
  for (const name of ['"\\0"', '"\\ud800"']) {
    expect(said(file(`  - name: ${name}`, '    url: https://a.org'))).toStrictEqual([
      '3:11: checks[0].name: must not contain NUL or half of a surrogate pair',
    ])
  }
})

test('ignores a byte order mark, CRLF and a missing final newline', () => {
  const text = `\ufeff${file(a)}`.replaceAll('\n', '\r\n')
  expect(said(text)).toStrictEqual([])
  expect(said(text.replace('https://a.org', '&x https://a.org'))).toStrictEqual([
    '4:10: : anchors (&) are not supported: write the value where it is used',
  ])
})

test('reports a file without content as empty', () => {
  for (const text of ['', '\n', '# only this\n', '---\n', ' \r\n']) {
    expect(said(text)).toStrictEqual(['1:1: : the file is empty'])
  }
  expect(said('', 'json')).toStrictEqual(['1:1: : the file is empty'])
})

test('refuses an oversized file without reading it', () => {
  const entry = (index: number): string => `  - name: c${index}\n    url: https://u.org`
  const checks = Array.from({ length: fileLimits.checksMax }, (_, index) => entry(index))
  expect(said(file(...checks))).toStrictEqual([])
  expect(said(file(...checks, entry(-1)))).toStrictEqual(['40003:5: : a list has at most 20000 entries'])
  expect(said(' '.repeat(fileLimits.textCharactersMax + 1))).toStrictEqual([
    '1:1: : the file has more than 16777216 characters',
  ])
  expect(said('a:\n b:\n  c:\n   d:\n    e:\n     f:\n      g: 1')).toContain(
    '7:7: : is nested deeper than 6 levels',
  )
  expect(said('- '.repeat(100_000))).toContain('1:13: : is nested deeper than 6 levels')
  const many = said(file(...Array.from({ length: 1_500 }, () => '  - 1')))
  expect(many).toHaveLength(fileLimits.problemsMax + 1)
  expect(many.at(-1)).toBe('1002:5: : and 500 more problems')
})
