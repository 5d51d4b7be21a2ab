import { expect, test } from 'vitest'
import { partsOf } from './parts-of.ts'

test.each([
  ['a', ['a']],
  [' a , b ,, ', ['a', 'b']],
  ['a;b', ['a;b']],
  ['', []],
  [' , ', []],
])('%j has the parts %j', (text, parts) => {
  expect(partsOf(text)).toEqual(parts)
})

test('splits only by a custom separator', () => {
  expect(partsOf('a, b; c', ';')).toEqual(['a, b', 'c'])
})
