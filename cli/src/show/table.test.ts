import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { widthOf } from '../file/text-width.ts'
import { wrapWords } from './fit-width.ts'
import { tableLines, type Column } from './table.ts'
import { acted, hostile, plain } from './testing.ts'

const columns: readonly Column[] = [
  { title: 'NAME', min: 6 },
  { title: 'MS', align: 'right' },
  { title: 'TYPE', dropOrder: 1 },
  { title: 'TARGET', min: 8, dropOrder: 2 },
]
const rows = [
  ['a long name of a check', '84.2', 'http', 'https://example.com/path'],
  ['web', '1234', 'multistep', '-'],
]

test.each([
  [
    200,
    `
NAME                      MS  TYPE       TARGET
a long name of a check  84.2  http       https://example.com/path
web                     1234  multistep  -`,
  ],
  [
    50,
    `
NAME                      MS  TYPE       TARGET
a long name of a check  84.2  http       https://…
web                     1234  multistep  -`,
  ],
  [
    36,
    `
NAME         MS  TYPE       TARGET
a long n…  84.2  http       https:/…
web        1234  multistep  -`,
  ],
  [
    30,
    `
NAME             MS  TYPE
a long name …  84.2  http
web            1234  multistep`,
  ],
  [
    20,
    `
NAME              MS
a long name o…  84.2
web             1234`,
  ],
])('cuts columns, then leaves some out, in %i columns', (width, text) => {
  const lines = tableLines({ ...plain, columns: width }, columns, rows)
  expect(`\n${lines.join('\n')}`).toBe(text)
})

test('marks a cut in ASCII without UTF-8', () => {
  const display = { ...plain, isUtf8: false, columns: 20 }
  expect(tableLines(display, columns, rows)[1]).toBe('a long name...  84.2')
})

test('fits every line to the terminal, without invisible characters', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom(hostile, '日本語の名前', '🛰️ probe', 'e\u0301'.repeat(40)),
  )
  const row = fc.tuple(cell, cell, cell, cell)
  forAll([fc.array(row), fc.integer({ min: 12, max: 200 })], (all, width) => {
    const lines = tableLines({ ...plain, columns: width }, columns, all)
    expect(lines).toHaveLength(all.length + 1)
    for (const line of lines) {
      expect(widthOf(line)).toBeLessThanOrEqual(width)
      expect(line).not.toMatch(acted)
    }
  })
})

test('wraps lines to fit, with every word in order', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'ß', '日', '🛰', '/'),
    minLength: 1,
    maxLength: 30,
  })
  forAll([fc.array(word), fc.integer({ min: 14, max: 90 })], (words, width) => {
    const lines = wrapWords({ columns: width }, words.join(' '), 'id: ')
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
    const text = lines.map((line) => line.slice(4)).join('')
    expect(text.replaceAll(' ', '')).toBe(words.join(''))
  })
})
