import { describe, expect, test } from 'vitest'
import { listOf, mapOf, objectOf, setOf, toObject, unknown, type Type, type Value } from '../value.ts'
import { decodeDynamic, decodeStored, parseStored } from './codec.ts'
import { parseDecimal } from './decimal.ts'
import { encodeDynamic } from './write-msgpack.ts'

const none = new Uint8Array()
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const packed = (type: Type, bytes: string) => decodeDynamic(type, { msgpack: hex(bytes), json: none })
const ofJson = (type: Type, json: string) => decodeDynamic(type, { msgpack: none, json: Buffer.from(json) })

describe('MessagePack', () => {
  test.each<[Type, string, Value]>([
    ['string', 'c0', null],
    ['string', 'a3 616263', 'abc'],
    ['number', '7f', 127],
    ['number', 'ff', -1],
    ['number', 'cb 3fe0000000000000', 0.5],
    ['number', 'ca 3fc00000', 1.5],
    ['number', 'a3 302e31', 0.1],
    ['number', 'cf ffffffffffffffff', 2n ** 64n - 1n],
    ['number', 'd3 ffffffffffffffff', -1],
    ['number', 'cb 43f0000000000000', 2n ** 64n],
    ['bool', 'c3', true],
    ['string', 'd4 00 00', unknown],
    // what Terraform 1.11 says of "https://e.com/${x.id}": not null, and how it starts
    ['string', 'c7 12 0c 82 01 c2 02 ae 68747470733a2f2f652e636f6d', unknown],
    [setOf('number'), '92 01 d40000', [1, unknown]],
    [mapOf('bool'), '81 a9 5f5f70726f746f5f5f c3', toObject([['__proto__', true]])],
    ['dynamic', '92 c4 06 226e756d62657222 05'.replace('c4 06', 'c4 08'), 5],
    ['dynamic', '92 c4 08 22737472696e6722 c0', null],
  ])('of %j: %s', (type, bytes, value) => {
    expect(packed(type, bytes)).toEqual({ ok: true, value })
  })

  const check = objectOf({ name: 'string', regions: setOf('string'), tags: mapOf('number') })
  test.each<[string, Type, string, (string | number | { key: string })[], string]>([
    ['a number for a text', 'string', '01', [], 'expected a string, got a number'],
    ['a text for a number', 'number', 'a178', [], 'expected a number, got a string'],
    ['a list for a map', mapOf('bool'), '90', [], 'expected a map, got a list'],
    ['a map for a list', listOf('bool'), '80', [], 'expected a list, got an object'],
    ['not a number', 'number', 'cb 7ff8000000000000', [], 'expected a number, got a number'],
    ['bytes', 'string', 'c4 01 00', [], 'expected a string, got bytes'],
    ['an element', listOf('string'), '92 a161 c3', [1], 'expected a string, got a bool'],
    ['a key', mapOf('string'), '81 a161 c3', [{ key: 'a' }], 'expected a string, got a bool'],
    [
      'within an attribute',
      check,
      '83 a46e616d65 a178 a7726567696f6e73 91 01 a474616773 80',
      ['regions', 0],
      'expected a string, got a number',
    ],
    ['a missing attribute', check, '81 a46e616d65 a178', [], 'missing attribute "regions"'],
    ['an attribute too much', objectOf({}), '81 a161 01', [], 'unknown attribute "a"'],
    ['an element too much', ['tuple', ['bool']], '92 c3 c3', [], 'expected 1 elements, got 2'],
    ['a dynamic value of no type', 'dynamic', '05', [], 'expected a value with its type, got a number'],
    [
      'a dynamic value of a dynamic one',
      'dynamic',
      '92 c4 09 2264796e616d696322 05',
      [],
      'a dynamic value has no type',
    ],
    ['nothing', 'string', 'a3 61', [], 'the value is cut short'],
    ['two values', 'string', 'c0 c0', [], 'there are bytes after the value'],
    ['the byte that says nothing', 'string', 'c1', [], 'a value starts with an undefined byte'],
    ['text that is no UTF-8', 'string', 'a1 ff', [], 'a text is not UTF-8'],
    ['a key that is no text', mapOf('bool'), '81 01 c3', [], 'a key is not a text'],
    ['a list of 2^32 elements', listOf('bool'), 'dd ffffffff', [], 'the value is cut short'],
    ['lists in lists', listOf('bool'), '91'.repeat(10_000), [], 'the value is nested too deeply'],
  ])('%s is a problem', (_what, type, bytes, path, message) => {
    expect(packed(type, bytes)).toEqual({ ok: false, problem: { path, message } })
  })

  test.each<[Type, Value, string]>([
    ['string', unknown, 'd4 00 00'],
    ['number', 0.1, 'a3 302e31'],
    ['number', 127, '7f'],
    ['number', 128, 'd3 0000000000000080'],
    ['number', 2n ** 63n, 'b3 39323233333732303336383534373735383038'],
    [objectOf({ a: 'bool', b: 'bool' }), toObject([['b', true]]), '82 a161 c0 a162 c3'],
    ['dynamic', true, '92 c406 22626f6f6c22 c3'],
  ])('%j is written: %s', (type, value, bytes) => {
    expect(Buffer.from(encodeDynamic(type, value))).toEqual(hex(bytes))
  })

  test.each<[Type, Value]>([
    ['string', 1],
    ['number', Number.NaN],
    [listOf('bool'), toObject([])],
    [objectOf({ a: 'bool' }), toObject([['b', true]])],
    [['tuple', ['bool']], []],
  ])('what is not of its type is a bug: %j', (type, value) => {
    expect(() => encodeDynamic(type, value)).toThrow(/a value is not a/)
  })
})

describe('JSON', () => {
  test.each<[Type, string, Value]>([
    ['number', '9007199254740993', 2n ** 53n + 1n],
    ['number', '"0.5"', 0.5],
    [listOf('number'), '[1, 2.5, -3e2]', [1, 2.5, -300]],
    [mapOf('string'), '{"__proto__": "x"}', toObject([['__proto__', 'x']])],
    ['dynamic', '{"type": ["list", "string"], "value": ["x"]}', ['x']],
    ['string', 'null', null],
  ])('of %j: %s', (type, json, value) => {
    expect(ofJson(type, json)).toEqual({ ok: true, value })
  })

  test.each([
    ['string', '"', 'it is not JSON'],
    ['string', '"\ud800', 'it is not JSON'],
    ['number', '0.12345678901234567890123', 'a number has too many digits'],
    ['number', '1e999', 'a number has too many digits'],
    ['dynamic', '{"type": "colour", "value": 1}', 'the type of a dynamic value is invalid'],
    ['bool', '['.repeat(100_000), 'it is not JSON'],
  ] satisfies [Type, string, string][])('of %s: %j is a problem', (type, json, message) => {
    expect(ofJson(type, json)).toEqual({ ok: false, problem: { path: [], message } })
  })

  test('what an older schema stored is read by a newer one: too much is dropped, the rest is null', () => {
    const read = parseStored(Buffer.from('{"name": "x", "gone": 1}'))
    if (!read.ok) throw new Error('it is JSON')
    const type = objectOf({ name: 'string', regions: setOf('string') })
    const value = toObject([
      ['name', 'x'],
      ['regions', null],
    ])
    expect(decodeStored(type, read.stored)).toEqual({ ok: true, value })
    expect(parseStored(Buffer.from('{'))).toMatchObject({ ok: false })
  })

  test('what is stored keeps the digits of its numbers, any key of its maps, and nothing too much inside', () => {
    const stored = '{"at":9007199254740993,"labels":{"__proto__":"a"},"links":[{"href":"h","old":1}]}'
    const read = parseStored(Buffer.from(stored))
    if (!read.ok) throw new Error('it is JSON')
    const link = objectOf({ href: 'string', text: 'string' })
    const type = objectOf({ at: 'number', labels: mapOf('string'), links: listOf(link) })
    const value = toObject([
      ['at', 9_007_199_254_740_993n],
      ['labels', toObject([['__proto__', 'a']])],
      [
        'links',
        [
          toObject([
            ['href', 'h'],
            ['text', null],
          ]),
        ],
      ],
    ])
    expect(decodeStored(type, read.stored)).toEqual({ ok: true, value })
  })
})

test('a value that was not sent, and one of no bytes, is null', () => {
  expect(decodeDynamic('string', null)).toEqual({ ok: true, value: null })
  expect(decodeDynamic('string', { msgpack: none, json: none })).toEqual({ ok: true, value: null })
})

test.each([
  ['0', 0],
  ['-0', 0],
  ['1.50', 1.5],
  ['0.1', 0.1],
  ['0.00000001', 1e-8],
  ['1e-8', 1e-8],
  ['9007199254740993', 2n ** 53n + 1n],
  ['0.1234567890123456789', null],
  ['1e400', null],
  ['0x10', null],
  ['', null],
  [' 1', null],
  ['9'.repeat(1025), null],
])('the decimal %j is %s', (text, value) => {
  expect(parseDecimal(text)).toBe(value)
})
