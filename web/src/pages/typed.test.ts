import { expect, test } from 'vitest'
import { orNull, typedOf } from './typed.ts'

test('line breaks are normalised to LF, and the last value of a field counts', () => {
  const form = new URLSearchParams('body=one%0D%0Atwo%0Dthree%0Afour&title=a&title=b&empty=')
  expect(typedOf(form)).toEqual({ body: 'one\ntwo\nthree\nfour', title: 'b', empty: '' })
})

test.each([
  [undefined, null],
  ['', null],
  [' \n', null],
  [' a', ' a'],
])('%j is sent as %j where a field may be empty', (text, sent) => {
  expect(orNull(text)).toBe(sent)
})
