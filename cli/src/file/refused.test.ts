import { describe, expect, test } from 'vitest'
import { parseChecksFile } from './parse-file.ts'

/** `line:column: path: message` of every problem, or the accepted checks. */
const said = (text: string, format: 'yaml' | 'json' = 'yaml'): unknown => {
  const parsed = parseChecksFile(text, format)
  if (parsed.ok) return parsed.file.checks
  return parsed.problems.map(({ line, column, path, message }) =>
    [`${line}:${column}`, ...(path === '' ? [] : [path]), message].join(': '),
  )
}
const head = 'version: 1\nchecks:\n'
const check = (...lines: string[]): string => `${head}${lines.map((line) => `  ${line}\n`).join('')}`
const a = { name: 'a', url: 'https://a.org' }

const constructs: {
  what: string
  text: string
  problem: string
  neighbour: string
  is?: object[]
}[] = [
  {
    what: 'an anchor',
    text: check('- name: &x a', '  url: https://a.org'),
    problem: '3:11: anchors (&) are not supported: write the value where it is used',
    neighbour: check('- name: "&x a"', '  url: https://a.org'),
    is: [{ ...a, name: '&x a' }],
  },
  {
    what: 'an anchor of a map',
    text: check('- &x', '  name: a', '  url: https://a.org'),
    problem: '3:5: anchors (&) are not supported: write the value where it is used',
    neighbour: check('-', '  name: a', '  url: https://a.org'),
  },
  {
    what: 'an anchor before a key',
    text: check('- &x name: a', '  url: https://a.org'),
    problem: '3:5: anchors (&) are not supported: write the value where it is used',
    neighbour: check('- name: a', '  url: https://a.org'),
  },
  {
    what: 'an alias',
    text: check('- name: *x', '  url: https://a.org'),
    problem: '3:11: aliases (*) are not supported: repeat the value',
    neighbour: check("- name: '*x'", '  url: https://a.org'),
    is: [{ ...a, name: '*x' }],
  },
  {
    what: 'a tag',
    text: check('- name: !!str a', '  url: https://a.org'),
    problem: '3:11: tags (!) are not supported: each field has a fixed type',
    neighbour: check('- name: a!', '  url: https://a.org'),
    is: [{ ...a, name: 'a!' }],
  },
  {
    what: 'a literal block scalar',
    text: check('- name: |', '    a', '    : *b', '  url: https://a.org'),
    problem: '3:11: block scalars (| and >) are not supported: write the text in quotes',
    neighbour: check('- name: "a\\n: *b\\n"', '  url: https://a.org'),
    is: [{ ...a, name: 'a\n: *b\n' }],
  },
  {
    what: 'a folded block scalar',
    text: check('- url: https://a.org', '  name: >-', '    a'),
    problem: '4:11: block scalars (| and >) are not supported: write the text in quotes',
    neighbour: check('- url: https://a.org', '  name: a>-'),
    is: [{ ...a, name: 'a>-' }],
  },
  {
    what: 'a flow mapping',
    text: check('- {name: a, url: [{b: c}]}'),
    problem: '3:5: flow mappings ({}) are not supported: write one key per line',
    neighbour: check('- name: "{a}"', '  url: https://a.org'),
    is: [{ ...a, name: '{a}' }],
  },
  {
    what: 'a pair in a flow list',
    text: check('- name: a', '  url: https://a.org', '  regions: [fra: iad]'),
    problem: '5:18: flow mappings are not supported: a list in brackets holds values',
    neighbour: check('- name: a', '  url: https://a.org', '  regions: [fra, iad]'),
    is: [{ ...a, regions: ['fra', 'iad'] }],
  },
  {
    what: 'a list in a flow list',
    text: check('- name: a', '  url: https://a.org', '  regions: [[fra], iad]'),
    problem: '5:15: a list in brackets holds text, numbers and booleans, not another list',
    neighbour: check(
      '- name: a',
      '  url: https://a.org',
      '  regions: [',
      '    fra, # two',
      '    iad,',
      '  ]',
    ),
    is: [{ ...a, regions: ['fra', 'iad'] }],
  },
  {
    what: 'a flow list that is not closed',
    text: check('- name: a', '  url: https://a.org', '  regions: [fra'),
    problem: '5:17: the list is not closed by ]',
    neighbour: check('- name: a', '  url: https://a.org', '  regions: [fra]'),
    is: [{ ...a, regions: ['fra'] }],
  },
  {
    what: 'a second document',
    text: `${check('- name: a', '  url: https://a.org')}---\nversion: 1\n`,
    problem: '5:1: several documents are not supported: a file is one document',
    neighbour: `--- # one\n${check('- name: a', '  url: https://a.org')}`,
  },
  {
    what: 'the end of a document',
    text: `${check('- name: a', '  url: https://a.org')}...\n`,
    problem: '5:1: the document end mark (...) is not supported: a file is one document',
    neighbour: `${check('- name: a', '  url: https://a.org')}# ...\n`,
  },
  {
    what: 'a directive',
    text: `%YAML 1.2\n---\n${check('- name: a', '  url: https://a.org')}`,
    problem: '1:1: directives (%) are not supported: the file is YAML 1.2',
    neighbour: `#%YAML 1.2\n---\n${check('- name: a', '  url: https://a.org')}`,
  },
  {
    what: 'a tab as indentation',
    text: `${head}  - name: a\n\t  url: https://a.org\n`,
    problem: '4:1: tabs are not supported as indentation: use spaces',
    neighbour: `${head}  - name: a\n    url:\thttps://a.org\t# tab\n\t\n`,
  },
  {
    what: 'a key that is there already',
    text: check('- name: a', '  url: https://a.org', '  "name": b'),
    problem: '5:5: the key name is repeated in this map',
    neighbour: check('- "name": a', "  'url': https://a.org"),
  },
  {
    what: 'a merge key',
    text: check('- name: a', '  url: https://a.org', '  <<: b'),
    problem: '5:5: merge keys (<<) are not supported: write the fields where they are used',
    neighbour: check('- name: <<', '  url: https://a.org'),
    is: [{ ...a, name: '<<' }],
  },
  {
    what: 'a complex key',
    text: check('- name: a', '  ? url', '  : https://a.org'),
    problem: '4:5: complex keys (?) are not supported: a key is text',
    neighbour: check('- name: "? a"', '  url: https://a.org'),
    is: [{ ...a, name: '? a' }],
  },
  {
    what: 'a complex key after a question mark',
    text: check('- name: a?', '  ? url', '  : https://a.org'),
    problem: '4:5: complex keys (?) are not supported: a key is text',
    neighbour: check('- name: a?', '  url: https://a.org'),
    is: [{ ...a, name: 'a?' }],
  },
  {
    what: 'a list as a key',
    text: check('- name: a', '  url: https://a.org', '  [b]: c'),
    problem: '5:5: a key is text',
    neighbour: check('- name: "[b]: c"', '  url: https://a.org'),
    is: [{ ...a, name: '[b]: c' }],
  },
  {
    what: 'plain text of two lines',
    text: check('- name: a', '     url: https://a.org'),
    problem: '3:11: a second colon: write the text in quotes, or check the indentation',
    neighbour: check('- name: "a', '     b"', '  url: https://a.org'),
    is: [{ ...a, name: 'a b' }],
  },
  {
    what: 'text that is not closed',
    text: check('- url: https://a.org', '  name: "a'),
    problem: '4:12: the text is not closed by "',
    neighbour: check('- url: https://a.org', '  name: "a"'),
  },
  {
    what: 'an unknown escape',
    text: check('- url: https://a.org', '  name: "a\\q"'),
    problem: '4:13: Invalid escape sequence \\q',
    neighbour: check('- url: https://a.org', "  name: 'a\\q'"),
    is: [{ ...a, name: 'a\\q' }],
  },
  {
    what: 'a second colon on a line',
    text: check('- url: https://a.org', '  name: a: b'),
    problem: '4:11: a second colon: write the text in quotes, or check the indentation',
    neighbour: check('- url: https://a.org', '  name: a:b'),
    is: [{ ...a, name: 'a:b' }],
  },
  {
    what: 'a reserved character',
    text: check('- url: https://a.org', '  name: @a'),
    problem: '4:11: Plain value cannot start with reserved character @',
    neighbour: check('- url: https://a.org', '  name: a@'),
    is: [{ ...a, name: 'a@' }],
  },
  {
    what: 'a comment without a space',
    text: check('- url: https://a.org', '  name: "a"#b'),
    problem: '4:14: a space is missing before the comment',
    neighbour: check('- url: https://a.org', '  name: a#b'),
    is: [{ ...a, name: 'a#b' }],
  },
  {
    what: 'a key that is indented differently',
    text: check('- name: "a"', '    url: https://a.org'),
    problem: '4:7: is not indented as what stands above',
    neighbour: check('- name: "a"', '  url: https://a.org'),
  },
  {
    what: 'a control character',
    text: check('- url: https://a.org', '  name: a\u001b[0m'),
    problem: '4:12: the character U+001B is not supported: write "\\u001b" in double quotes',
    neighbour: check('- url: https://a.org', '  name: "a\\u001b[0m"'),
    is: [{ ...a, name: 'a\u001b[0m' }],
  },
  ...['007', '1.0', '1e3', '+1', '-0', '12345678901234567890', '0x1f', '0o7'].map((number) => ({
    what: `the number ${number}`,
    text: check('- name: a', `  intervalSeconds: ${number}`, '  url: https://a.org'),
    problem: `4:22: would be read as`,
    neighbour: check('- name: a', '  intervalSeconds: 7', '  url: https://a.org'),
    is: [{ ...a, intervalSeconds: 7 }],
  })),
  {
    what: 'infinity',
    text: check('- name: a', '  intervalSeconds: .inf', '  url: https://a.org'),
    problem: '4:22: is not a finite number: write ".inf" for text',
    neighbour: check('- name: .info', '  url: https://a.org'),
    is: [{ ...a, name: '.info' }],
  },
]

describe('refused YAML, and the closest accepted form', () => {
  test.each(constructs)('$what', ({ text, problem, neighbour, is = [a] }) => {
    expect(said(text)).toMatchObject([expect.stringContaining(problem)])
    expect(said(neighbour)).toStrictEqual(is)
  })
})

test('a tab after a dash is refused, and what it makes of the lines below', () => {
  expect(said(`${head}  -\tname: a\n    url: https://a.org\n`)).toEqual([
    '3:4: tabs are not supported as indentation: use spaces',
    '4:5: is not indented as what stands above',
  ])
})

const jsonChecks = '[{"name":"a","url":"https://a.org"}]'
describe('refused JSON, with positions', () => {
  test.each([
    ['{"version":1,"checks":[{"name":"a","url":"b",}]}', '1:46: a key in double quotes is expected'],
    ['{"version":1,\n "version":1, "checks":[]}', '2:2: the key version is repeated in this map'],
    ['{"version":1,"checks":[]', '1:25: a comma or } is expected'],
    ['{"version":1.0,"checks":[]}', '1:12: would be read as the number 1'],
    ['{\'version\':1,"checks":[]}', '1:2: a key in double quotes is expected'],
    ['{"version":1,"checks":[]} {}', '1:27: is not expected after the end'],
    ['{"version":1,"checks":["a\nb"]}', '1:24: the text is not closed'],
    ['{"version":1,"checks":["\\q"]}', '1:24: the text has an escape that JSON does not define'],
    ['{"version":1,"checks":[[[[[[1]]]]]]}', '1:28: is nested deeper than 6 levels'],
    ['// a\n{}', '1:1: a value is expected here'],
  ])('%s', (text, problem) => {
    expect(said(text, 'json')).toContainEqual(expect.stringContaining(problem))
    expect(said(`\ufeff{"version":1,\r\n"checks":${jsonChecks}}`, 'json')).toStrictEqual([a])
  })
})
