import { describe, expect, test } from 'vitest'
import {
  assertionProblems,
  AssertionFields,
  noAssertions,
  toAssertions,
  type Assertions,
} from './assertions.ts'
import { limits } from '../schema/limits.ts'

const problems = (fields: Partial<Assertions>) =>
  assertionProblems({ ...noAssertions, ...fields }).map(({ path, grammar }) =>
    grammar ? `${path} grammar` : path,
  )

describe('fields that go together', () => {
  test.each<[string, Partial<Assertions>]>([
    ['nothing', {}],
    ['a range', { assertionStatusMin: 200, assertionStatusMax: 299 }],
    ['one status', { assertionStatusMin: 204, assertionStatusMax: 204 }],
    ['only a minimum', { assertionStatusMin: 400 }],
    ['only a maximum', { assertionStatusMax: 399 }],
    ['a body', { assertionBodyOp: 'contains', assertionBodyValue: 'ok' }],
    [
      'a body with case',
      {
        assertionBodyOp: 'not_contains',
        assertionBodyValue: 'error',
        assertionBodyCaseSensitive: false,
      },
    ],
    ['a path that exists', { assertionJsonPath: 'a.b', assertionJsonOp: 'exists' }],
    [
      'a path that equals nothing',
      { assertionJsonPath: 'a', assertionJsonOp: 'equals', assertionJsonValue: '' },
    ],
    [
      'a path that contains',
      { assertionJsonPath: 'a[0]', assertionJsonOp: 'contains', assertionJsonValue: 'x' },
    ],
  ])('%s', (_, fields) => expect(problems(fields)).toEqual([]))
})

describe('each of several conflicting fields is reported', () => {
  test.each<[string, Partial<Assertions>, string[]]>([
    ['min above max', { assertionStatusMin: 300, assertionStatusMax: 299 }, ['assertionStatusMin']],
    ['an op without its value', { assertionBodyOp: 'contains' }, ['assertionBodyValue']],
    ['a value without its op', { assertionBodyValue: 'ok' }, ['assertionBodyOp']],
    ['case alone', { assertionBodyCaseSensitive: true }, ['assertionBodyOp']],
    ['a path without op', { assertionJsonPath: 'a' }, ['assertionJsonOp']],
    ['an op without path', { assertionJsonOp: 'exists' }, ['assertionJsonPath']],
    ['a value without path', { assertionJsonValue: 'x' }, ['assertionJsonPath']],
    [
      'exists with a value',
      { assertionJsonPath: 'a', assertionJsonOp: 'exists', assertionJsonValue: 'x' },
      ['assertionJsonValue'],
    ],
    ['equals without a value', { assertionJsonPath: 'a', assertionJsonOp: 'equals' }, ['assertionJsonValue']],
    [
      'contains without a value',
      { assertionJsonPath: 'a', assertionJsonOp: 'contains' },
      ['assertionJsonValue'],
    ],
    ['a wildcard', { assertionJsonPath: 'a[*]', assertionJsonOp: 'exists' }, ['assertionJsonPath grammar']],
    [
      'several at once',
      {
        assertionStatusMin: 500,
        assertionStatusMax: 200,
        assertionBodyOp: 'contains',
        assertionJsonPath: 'a..b',
      },
      ['assertionStatusMin', 'assertionBodyValue', 'assertionJsonPath grammar', 'assertionJsonOp'],
    ],
  ])('%s', (_, fields, expected) => expect(problems(fields)).toEqual(expected))

  test('an error in a path contains its character, counted from 1', () => {
    const [problem] = assertionProblems({
      ...noAssertions,
      assertionJsonPath: 'a.b[*]',
      assertionJsonOp: 'exists',
    })
    expect(problem?.message).toBe('wildcards are not allowed (at character 5)')
  })
})

describe('one field alone', () => {
  test.each([
    { assertionStatusMin: 99 },
    { assertionStatusMax: 600 },
    { assertionStatusMin: 200.5 },
    { assertionStatusMin: '200' },
    { assertionBodyOp: 'matches' },
    { assertionBodyOp: 'equals' },
    { assertionBodyValue: '' },
    { assertionBodyValue: 'a'.repeat(limits.assertionValueCharactersMax + 1) },
    { assertionJsonOp: 'regex' },
    { assertionJsonPath: '' },
    { assertionJsonPath: 'a'.repeat(limits.jsonPathCharactersMax + 1) },
    { assertionJsonValue: {} },
    { assertionRegex: 'a' },
  ])('%j is refused', (fields) => expect(AssertionFields.safeParse(fields).success).toBe(false))

  test.each<[string | number | boolean, string]>([
    ['1', '1'],
    ['', ''],
    [1, '1'],
    [1.5, '1.5'],
    [true, 'true'],
    [false, 'false'],
  ])('a JSON value %j becomes the text %s', (value, text) =>
    expect(AssertionFields.parse({ assertionJsonValue: value }).assertionJsonValue).toBe(text),
  )

  test('absent and null both mean unset', () => {
    expect(toAssertions({})).toEqual(noAssertions)
    expect(toAssertions(AssertionFields.parse({ ...noAssertions }))).toEqual(noAssertions)
  })

  test('false and the empty text count as set', () => {
    const fields = { assertionBodyCaseSensitive: false, assertionJsonValue: '' }
    expect(toAssertions(AssertionFields.parse(fields))).toEqual({ ...noAssertions, ...fields })
  })
})
