import { expect, test } from 'vitest'
import { toObject, unknown, type Value } from '../protocol/value.ts'
import { checkSchema } from './check-schema.ts'
import { asWritten, bodyValue, isSame, settle } from './settle.ts'

const of = (entries: Record<string, Value>) => toObject(Object.entries(entries))

test('keeps planned values as written and takes the rest from the service', () => {
  const planned = of({ id: unknown, name: 'web', url: 'HTTPS://Web.example.com', regions: unknown })
  const told = of({ id: 'x', name: 'Web', url: 'https://web.example.com/', regions: ['fra'] })
  expect(settle(checkSchema, planned, told)).toMatchObject({
    id: 'x',
    name: 'web',
    url: 'HTTPS://Web.example.com',
    regions: ['fra'],
    assertion_status_min: null,
  })
})

test('omits unknown values from a body, and null fields of objects', () => {
  expect(bodyValue(unknown)).toBeUndefined()
  expect(bodyValue(null)).toBeNull()
  expect(bodyValue(12n)).toBe(12)
  expect(bodyValue([of({ label: 'a', url: null })])).toEqual([{ label: 'a' }])
})

test('keeps an id as written when only its case differs', () => {
  expect(asWritten('AB', 'ab')).toBe('AB')
  expect(asWritten('ac', 'ab')).toBe('ab')
  expect(asWritten(null, 'ab')).toBe('ab')
})

test.each<[Value, Value, boolean, boolean]>([
  ['a', 'a', false, true],
  ['a', null, false, false],
  [['a', 'b'], ['b', 'a'], false, false],
  [['a', 'b'], ['b', 'a'], true, true],
  [['a'], ['a', 'b'], true, false],
  [of({ a: 'x' }), of({ a: 'x' }), false, true],
  [of({ a: 'x' }), of({ b: 'x' }), false, false],
  [of({ a: null }), of({ b: null }), false, false],
  [of({ a: 'x' }), of({ a: 'x', b: 'y' }), false, false],
  [[], of({}), false, false],
])('%j and %j, a set: %s, are the same: %s', (one, other, isSet, same) => {
  expect(isSame(one, other, isSet)).toBe(same)
})
