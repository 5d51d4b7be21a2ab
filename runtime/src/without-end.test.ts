import { expect, test } from 'vitest'
import { withoutEnd } from './without-end.ts'

test.each([
  ['https://api.example.com/v1//', 'https://api.example.com/v1'],
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['//a/b', '//a/b'],
  ['///', ''],
  ['', ''],
])('%j without the slashes at its end is %j', (text, expected) => {
  expect(withoutEnd(text, '/')).toBe(expected)
})
