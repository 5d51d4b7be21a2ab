import { expect, test } from 'vitest'
import { partsOf } from './parts-of.ts'

test.each([
  ['a', ['a']],
  [' a , b ,, ', ['a', 'b']],
  ['a;b', ['a;b']],
  ['', []],
  [' , ', []],
])('%j names %j', (text, parts) => {
  expect(partsOf(text)).toEqual(parts)
})

test('another separator parts by itself alone', () => {
  expect(partsOf('a, b; c', ';')).toEqual(['a, b', 'c'])
})
