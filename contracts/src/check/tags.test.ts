import { expect, test } from 'vitest'
import { Tags } from './tags.ts'

test.each<[string, string[], string[] | null]>([
  ['keeps case and order', ['Shop', 'prod eu'], ['Shop', 'prod eu']],
  ['trims', ['  shop '], ['shop']],
  ['accepts a tag of 40 characters', ['x'.repeat(40)], ['x'.repeat(40)]],
  ['refuses one of 41', ['x'.repeat(41)], null],
  ['refuses a blank tag', [' '], null],
  ['refuses a comma', ['a,b'], null],
  ['refuses a control character', ['a\u0007'], null],
  ['refuses one tag in two spellings', ['Prod', 'prod'], null],
  [
    'accepts 20 tags',
    Array.from({ length: 20 }, (_, n) => `t${n}`),
    Array.from({ length: 20 }, (_, n) => `t${n}`),
  ],
  ['refuses 21', Array.from({ length: 21 }, (_, n) => `t${n}`), null],
])('a list of tags %s', (_, tags, expected) => {
  expect(Tags.safeParse(tags).data ?? null).toEqual(expected)
})
