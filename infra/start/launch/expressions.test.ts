import { expect, test } from 'vitest'
import { checkExpressions, slowExpressions } from './expressions.ts'

test.each([
  [
    String.raw`const trimmed = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '')`,
    'quadratic time on a run of',
  ],
  [String.raw`const header = /^\s*([^:;]+?)\s*([:;])(.*)$/s`, 'quadratic'],
  ['export const isWord = (text: string): boolean => /^(?:a+)+$/.test(text)', 'exponential'],
  ['const named = new RegExp(`^${name}$`)', 'is put together'],
])('finds %s', (source, problem) => {
  expect(slowExpressions(`\n${source}`)).toEqual([expect.stringContaining(problem)])
  expect(slowExpressions(`\n${source}`)[0]).toMatch(/^2: /)
})

test.each([
  [String.raw`const trimmed = (text: string) => text.replace(/^[ \t]+/, '')`],
  ['const half = (a: number, b: number) => a / b / 2'],
  ['// bounded: a name has at most 64 characters\nconst end = /a+$/'],
  ['/** linear: it only counts. */\nconst many = new RegExp(`^.{${least},}$`)'],
])('takes %s', (source) => {
  expect(slowExpressions(source)).toEqual([])
})

test('a comment holds until the next blank line', () => {
  const source = '// bounded: by the slice\nconst one = /a+$/\nconst two = /b+$/\n\nconst three = /c+$/'
  expect(slowExpressions(source)).toEqual([expect.stringMatching(/^5: \/c\+\$\//)])
})

test('every expression of the sources takes linear time, or names the bound of its text', () => {
  expect(checkExpressions(new URL('../../..', import.meta.url).pathname)).toEqual([])
})
