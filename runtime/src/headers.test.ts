import { expect, test } from 'vitest'
import { acceptedBy, cookieValue, cookieValues, listMembers } from './headers.ts'

test.each([
  [undefined, []],
  ['', []],
  [' , ,', []],
  ['gzip', ['gzip']],
  ['Gzip ,br,\tidentity', ['Gzip', 'br', 'identity']],
])('the members of %j are %j', (list, members) => {
  expect(listMembers(list)).toEqual(members)
})

test.each([
  ['br', 1],
  ['br;q=0.5', 0.5],
  ['BR ; Q=0.5', 0.5],
  ['br;q=0', 0],
  ['br;q=0.000', 0],
  ['br;q=much', 0],
  ['br;q=2', 0],
  ['br;q=-1', 0],
])('the weight of %j is %d', (header, weight) => {
  expect(acceptedBy(header)).toMatchObject([{ name: 'br', weight }])
})

test('a client accepts several types in its order, with their parameters', () => {
  const accepted = acceptedBy('application/openmetrics-text; version=1.0.0;q=0.6, text/plain;a')
  expect(accepted.map(({ name, weight }) => [name, weight])).toEqual([
    ['application/openmetrics-text', 0.6],
    ['text/plain', 1],
  ])
  expect(accepted[0]?.parameters.get('version')).toBe('1.0.0')
  expect(accepted[1]?.parameters.get('a')).toBe('')
})

test('a cookie that was sent twice has both values, and the first that is not empty', () => {
  expect(cookieValues('a=1; ab=2;a=; a=3=4', 'a')).toEqual(['1', '', '3=4'])
  expect(cookieValue('a=; a=3=4', 'a')).toBe('3=4')
  expect(cookieValue(undefined, 'a')).toBeUndefined()
})
