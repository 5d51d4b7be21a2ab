import { expect, test } from 'vitest'
import { parseForeignJson } from './foreign-json.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

test('parses text and bytes to the same value', () => {
  const text = '{"name":"Zürich","list":[1,2]}'
  const value = { name: 'Zürich', list: [1, 2] }
  expect(parseForeignJson(text, 64)).toEqual(value)
  expect(parseForeignJson(Buffer.from(text), 64)).toEqual(value)
})

test.each([4_385, 20_000, 1_000_000])('refuses %i levels before parsing', (depth) => {
  expect(() => parseForeignJson(nested(depth), 64)).toThrow('nested deeper than 64 levels')
  expect(() => parseForeignJson(Buffer.from(nested(depth)), 64)).toThrow('nested deeper')
})

test('refuses truncated deep nesting for its depth', () => {
  expect(() => parseForeignJson('['.repeat(65), 64)).toThrow('nested deeper')
})

test('throws for text that is not JSON or not UTF-8', () => {
  expect(() => parseForeignJson('{"a":', 64)).toThrow(SyntaxError)
  expect(() => parseForeignJson(Buffer.from([0x22, 0xff, 0x22]), 64)).toThrow(TypeError)
})
