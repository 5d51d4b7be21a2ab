import { noAssertions, type Assertions } from '@probe-mesh/contracts/check/assertions'
import { describe, expect, test } from 'vitest'
import { evaluateAssertions, isOwnStatus } from './evaluate-assertions.ts'

const evaluate = (
  assertions: Partial<Assertions>,
  status: number,
  text = '',
  more: { truncated?: boolean; undecoded?: string; contentType?: string; bytes?: Buffer } = {},
) => {
  const body = {
    bytes: more.bytes ?? Buffer.from(text),
    truncated: more.truncated ?? false,
    undecoded: more.undecoded ?? null,
  }
  const headers = more.contentType === undefined ? {} : { 'content-type': more.contentType }
  const result = evaluateAssertions({ ...noAssertions, ...assertions }, { status, headers, body })
  return result.passed ? 'passed' : `${result.cause}: ${result.reason}`
}

describe('the status', () => {
  test.each<[Partial<Assertions>, number, string]>([
    [{}, 200, 'passed'],
    [{}, 299, 'passed'],
    [{}, 199, 'status_mismatch: expected status 200-299, got 199'],
    [{}, 300, 'status_mismatch: expected status 200-299, got 300'],
    [{}, 503, 'status_mismatch: expected status 200-299, got 503'],
    [{ assertionStatusMin: 404, assertionStatusMax: 404 }, 404, 'passed'],
    [
      { assertionStatusMin: 404, assertionStatusMax: 404 },
      200,
      'status_mismatch: expected status 404, got 200',
    ],
    [{ assertionStatusMin: 200, assertionStatusMax: 399 }, 302, 'passed'],
    [{ assertionStatusMin: 400 }, 599, 'passed'],
    [{ assertionStatusMin: 400 }, 399, 'status_mismatch: expected status 400-599, got 399'],
    [{ assertionStatusMax: 499 }, 100, 'passed'],
    [{ assertionStatusMax: 499 }, 500, 'status_mismatch: expected status 100-499, got 500'],
  ])('%j of %d: %s', (assertions, status, expected) => {
    expect(evaluate(assertions, status)).toBe(expected)
  })

  test('must be 2xx when only the body is asserted', () => {
    const assertions = { assertionBodyOp: 'contains', assertionBodyValue: 'ok' } as const
    expect(evaluate(assertions, 500, 'ok')).toMatch(/^status_mismatch/)
  })

  test('is the check’s own only in its range', () => {
    const range = { ...noAssertions, assertionStatusMin: 300, assertionStatusMax: 301 }
    expect([299, 300, 301, 302].map((status) => isOwnStatus(range, status))).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(isOwnStatus({ ...noAssertions, assertionStatusMin: 300 }, 302)).toBe(true)
    expect(isOwnStatus({ ...noAssertions, assertionStatusMax: 299 }, 302)).toBe(false)
    expect(isOwnStatus(noAssertions, 302)).toBe(false)
  })
})

describe('the body', () => {
  const contains = (value: string, sensitive: boolean | null = null) =>
    ({
      assertionBodyOp: 'contains',
      assertionBodyValue: value,
      assertionBodyCaseSensitive: sensitive,
    }) as const
  const lacks = (value: string, sensitive: boolean | null = null) =>
    ({ ...contains(value, sensitive), assertionBodyOp: 'not_contains' }) as const

  test.each<[Partial<Assertions>, string, string]>([
    [contains('ok'), 'all ok here', 'passed'],
    [contains('ok'), 'all fine', 'body_mismatch: body does not contain "ok"'],
    [contains('OK'), 'all ok here', 'passed'],
    [contains('OK', false), 'all ok here', 'passed'],
    [contains('OK', true), 'all ok here', 'body_mismatch: body does not contain "OK"'],
    [contains('OK', true), 'all OK here', 'passed'],
    [contains('ÄÖ'), 'äö', 'passed'],
    [contains('.*'), 'anything', 'body_mismatch: body does not contain ".*"'],
    [contains('.*'), 'a .* b', 'passed'],
    [lacks('error'), 'all fine', 'passed'],
    [lacks('error'), 'an Error', 'body_mismatch: body contains "error"'],
    [lacks('error', true), 'an Error', 'passed'],
    [contains('x'), '', 'body_mismatch: body does not contain "x": the body is empty'],
  ])('%j of %j: %s', (assertions, text, expected) => {
    expect(evaluate(assertions, 200, text)).toBe(expected)
  })

  test('that was truncated is named in the reason', () => {
    expect(evaluate(contains('x'), 200, 'abc', { truncated: true })).toBe(
      'body_mismatch: body does not contain "x" in its first 256 KB',
    )
  })

  test('is decoded by its charset, and as UTF-8 if that is unknown', () => {
    const latin1 = { bytes: Buffer.from('größe', 'latin1') }
    const type = 'text/html; charset="ISO-8859-1"'
    expect(evaluate(contains('größe'), 200, '', { ...latin1, contentType: type })).toBe('passed')
    expect(evaluate(contains('größe'), 200, '', latin1)).toMatch(/^body_unreadable/)
    expect(evaluate(contains('größe'), 200, 'größe', { contentType: 'a/b; charset=x-no' })).toBe('passed')
  })

  test('in an unknown encoding fails every assertion, including "does not contain"', () => {
    expect(evaluate(lacks('error'), 200, 'abc', { undecoded: 'zstd' })).toBe(
      'body_unreadable: the encoding "zstd" of the body is unknown',
    )
  })
})

describe('the JSON path', () => {
  const json = (path: string, op: 'equals' | 'contains' | 'exists', value: string | null = null) =>
    ({ assertionJsonPath: path, assertionJsonOp: op, assertionJsonValue: value }) as const
  const text = JSON.stringify({
    status: 'ok',
    count: 5,
    ratio: 1.5,
    big: 1e21,
    on: true,
    none: null,
    empty: '',
    list: ['a', 5, null, { b: 1 }],
    deep: { items: [{ name: 'first' }] },
  })

  test.each<[Partial<Assertions>, string]>([
    [json('status', 'equals', 'ok'), 'passed'],
    [json('status', 'equals', 'OK'), 'expected JSON path status to equal "OK", got "ok"'],
    [json('status', 'equals', 'o'), 'expected JSON path status to equal "o", got "ok"'],
    [json('status', 'contains', 'o'), 'passed'],
    [json('count', 'equals', '5'), 'passed'],
    [json('count', 'equals', '5.0'), 'passed'],
    [json('count', 'equals', '5e0'), 'passed'],
    [json('count', 'equals', '0x5'), 'expected JSON path count to equal "0x5", got "5"'],
    [json('count', 'equals', ' 5'), 'expected JSON path count to equal " 5", got "5"'],
    [json('count', 'equals', '6'), 'expected JSON path count to equal "6", got "5"'],
    [json('ratio', 'equals', '1.5'), 'passed'],
    [json('big', 'equals', '1000000000000000000000'), 'passed'],
    [json('on', 'equals', 'true'), 'passed'],
    [json('on', 'equals', '1'), 'expected JSON path on to equal "1", got "true"'],
    [json('none', 'equals', 'null'), 'passed'],
    [json('none', 'equals', ''), 'expected JSON path none to equal "", got "null"'],
    [json('empty', 'equals', ''), 'passed'],
    [json('none', 'exists'), 'passed'],
    [json('missing', 'exists'), 'JSON path missing does not exist'],
    [json('toString', 'exists'), 'JSON path toString does not exist'],
    [json('missing', 'equals', ''), 'JSON path missing does not exist'],
    [json('list', 'contains', 'a'), 'passed'],
    [json('list', 'contains', '5'), 'passed'],
    [json('list', 'contains', 'null'), 'passed'],
    [json('list', 'contains', 'b'), 'expected JSON path list to contain "b", got a list'],
    [json('list', 'equals', 'a'), 'expected JSON path list to equal "a", got a list'],
    [json('list[0]', 'equals', 'a'), 'passed'],
    [json('list[4]', 'exists'), 'JSON path list[4] does not exist'],
    [json('deep', 'contains', 'items'), 'expected JSON path deep to contain "items", got an object'],
    [json('deep.items[0].name', 'equals', 'first'), 'passed'],
    [json('$.deep["items"][0].name', 'contains', 'irs'), 'passed'],
  ])('%j: %s', (assertions, expected) => {
    expect(evaluate(assertions, 200, text).replace(/^json_\w+: /, '')).toBe(expected)
  })

  test.each<[string, string, boolean]>([
    ['9007199254740993', '9007199254740993', true],
    ['9007199254740993', '9007199254740992', false],
    ['12345678901234567890', '12345678901234567891', false],
    ['-12345678901234567890', '-12345678901234567890', true],
    ['9007199254740991', '9007199254740991.0', true],
    ['1e999', 'null', false],
    ['-1e999', 'null', false],
    ['1e999', '1e500', false],
    ['1e999', '10.0E998', true],
    ['1e-999', '0', false],
    ['-0.0', '0', true],
    ['1e99999999999999999999999', '1e999', false],
    ['100000000000000000000', '1e20', true],
    ['9007199254740993.0', '9007199254740992', false],
    ['9007199254740993e0', '9007199254740993', true],
    ['12345678901234567.5', '12345678901234568', false],
    ['0.10000000000000001', '0.1', true],
    ['0.1', '0.10000000000000001', true],
    ['0.1', '0.1000000000000001', false],
    ['1.50', '1.5', true],
    [`1.${'0'.repeat(50_000)}`, '1', true],
    ['1e21', '1000000000000000000000', true],
    ['0.1234567890123456789', '0.1234567890123456789', true],
  ])('compares long numbers exactly: %s with %s', (number, expected, holds) => {
    const found = evaluate(json('a', 'equals', expected), 200, `{"a":${number},"b":[1]}`)
    expect(found === 'passed').toBe(holds)
    expect(evaluate(json('l', 'contains', expected), 200, `{"l":[1,${number}]}`) === 'passed').toBe(holds)
  })

  test('fails for truncated or invalid JSON', () => {
    expect(evaluate(json('a', 'exists'), 200, '<html>')).toBe('json_invalid: body is not JSON')
    expect(evaluate(json('a', 'exists'), 200, '')).toBe('json_invalid: body is not JSON: the body is empty')
    expect(evaluate(json('a', 'exists'), 200, '{"a":1}', { truncated: true })).toMatch(/^json_too_large/)
  })

  test('shows foreign text short, readable and on one line', () => {
    const value = `a\n\u001b[31m\u202e${'x'.repeat(100)}`
    const shown = evaluate(json('v', 'equals', 'b'), 200, JSON.stringify({ v: value }))
    expect(shown).toMatch(/got "a  \[31m x{52}…"$/)
  })
})

describe('the order status, body, JSON path', () => {
  const all = {
    assertionStatusMin: 200,
    assertionStatusMax: 200,
    assertionBodyOp: 'contains',
    assertionBodyValue: 'x',
    assertionJsonPath: 'a',
    assertionJsonOp: 'exists',
  } as const
  test.each([
    [500, 'nothing', 'status_mismatch'],
    [200, 'nothing', 'body_mismatch'],
    [200, 'x', 'json_invalid'],
    [200, '{"x":1}', 'json_missing'],
  ])('stops at the first group that fails: %d %s is %s', (status, text, cause) => {
    expect(evaluate(all, status, text).split(':')[0]).toBe(cause)
  })
  test('passes when every group passes', () => {
    expect(evaluate(all, 200, '{"a":"x"}')).toBe('passed')
  })
})
