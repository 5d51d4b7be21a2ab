import { expect, test } from 'vitest'
import { isOfType } from './plan/settle-state.ts'
import { isEqual, listOf, mapOf, objectOf, setOf, toObject, unknown, type Type, type Value } from './value.ts'

const pair = objectOf({ a: 'string', b: setOf('number') })
const tuple: Type = ['tuple', ['string', setOf('string')]]

test.each<[string, Type, Value, Value, boolean]>([
  ['a set has no order', setOf('string'), ['a', 'b'], ['b', 'a'], true],
  ['a list has', listOf('string'), ['a', 'b'], ['b', 'a'], false],
  ['a set counts', setOf('string'), ['a', 'a', 'b'], ['a', 'b', 'b'], false],
  ['a set in an object', pair, { a: 'x', b: [1, 2] }, { b: [2, 1], a: 'x' }, true],
  ['a set in a tuple', tuple, ['x', ['a', 'b']], ['x', ['b', 'a']], true],
  ['sets in a set', setOf(setOf('string')), [['a', 'b'], ['c']], [['c'], ['b', 'a']], true],
  ['a set of 2 is not of 1', setOf('string'), ['a', 'b'], ['a,b'], false],
  ['a bigint is a number', 'number', 5n, 5, true],
  ['a large one too', 'number', 2n ** 60n, 2 ** 60, true],
  ['its neighbour is not', 'number', 2n ** 60n + 1n, 2 ** 60, false],
  ['-0 is 0', 'number', -0, 0, true],
  ['a number is no string', 'dynamic', 1, '1', false],
  ['null is no word', 'string', null, 'null', false],
  ['null is not empty', listOf('string'), null, [], false],
  ['unknown is unknown', 'string', unknown, unknown, true],
  ['unknown is no word', 'string', unknown, '?', false],
  ['unknown in a set', setOf('string'), [unknown, 'a'], ['a', unknown], true],
  ['absent is null in an object', pair, { a: null, b: null }, {}, true],
  ['absent is not null in a map', mapOf('string'), { a: null }, {}, false],
  ['any key', mapOf('string'), toObject([['__proto__', 'a']]), toObject([['__proto__', 'b']]), false],
])('%s', (_, type, one, other, expected) => {
  expect(isEqual(type, one, other)).toBe(expected)
  expect(isEqual(type, other, one)).toBe(expected)
})

test.each<[Type, Value, boolean]>([
  ['string', 'a', true],
  ['string', 1, false],
  ['number', 1n, true],
  ['number', Number.NaN, false],
  ['number', '1', false],
  ['bool', false, true],
  ['bool', 'false', false],
  [setOf('string'), ['a', null], true],
  [setOf('string'), ['a', 1], false],
  [setOf('string'), toObject([]), false],
  [mapOf('number'), { a: 1 }, true],
  [mapOf('number'), [], false],
  [pair, { a: 'x' }, true],
  [pair, { a: 'x', c: null }, false],
  [tuple, ['x', []], true],
  [tuple, ['x'], false],
  ['dynamic', ['x', 1], true],
])('of the type %o is %o: %s', (type, value, expected) => {
  expect(isOfType(type, value)).toBe(expected)
})
