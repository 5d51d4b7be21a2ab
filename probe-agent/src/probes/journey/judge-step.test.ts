import { limits } from '@probe-mesh/contracts/schema/limits'
import { noStepAssertions, type StepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { describe, expect, test } from 'vitest'
import type { Headers, Outcome } from '../../request/outcome.ts'
import { expectedOf, judgeStep } from './judge-step.ts'
import { step } from './testing/journey.ts'

const answer = (status: number, headers: Headers, text: string): Outcome => ({
  ok: true,
  status,
  headers,
  body: { bytes: Buffer.from(text), truncated: false, undecoded: null },
  timings: noTimings,
  latencyMs: 1,
  address: '93.184.216.34',
  hops: 0,
  certificateExpiresAt: null,
  notes: [],
})

const judge = (assertions: Partial<StepAssertions>, outcome: Outcome, name = 'cart') => {
  const expected = expectedOf(step({ assertions }), { owner: 'account' })
  const { verdict, cause, reason } = judgeStep(outcome, expected, { name, number: 2 })
  return verdict === 'up' ? 'up' : `${cause}: ${reason}`
}

const status = (statusMin: number | null, statusMax: number | null) => ({ statusMin, statusMax })
const body = (
  bodyOp: 'contains' | 'not_contains',
  bodyValue: string,
  bodyCaseSensitive: boolean | null = null,
) => ({ bodyOp, bodyValue, bodyCaseSensitive })
const header = (headerName: string, headerOp: 'equals' | 'contains', headerValue: string) => ({
  headerName,
  headerOp,
  headerValue,
})
const json = (
  jsonPath: string,
  jsonOp: 'equals' | 'contains' | 'exists',
  jsonValue: string | null = null,
) => ({ jsonPath, jsonOp, jsonValue })

describe('a step’s assertions', () => {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'x-a': 'one, two', 'x-empty': '' }
  const text = '{"State":"ok","items":[{"name":"first"}]}'

  test.each<[Partial<StepAssertions>, number, string]>([
    [{}, 200, 'up'],
    [{}, 299, 'up'],
    [{}, 199, 'status_mismatch: Step 2 (cart): expected status 200-299, got 199'],
    [{}, 300, 'status_mismatch: Step 2 (cart): expected status 200-299, got 300'],
    [status(201, 201), 201, 'up'],
    [status(201, 201), 200, 'status_mismatch: Step 2 (cart): expected status 201, got 200'],
    [status(400, 404), 404, 'up'],
    [status(400, 404), 405, 'status_mismatch: Step 2 (cart): expected status 400-404, got 405'],
    [status(400, null), 599, 'up'],
    [status(null, 399), 399, 'up'],
    [status(null, 399), 400, 'status_mismatch: Step 2 (cart): expected status 100-399, got 400'],

    [body('contains', '"state"'), 200, 'up'],
    [body('contains', '"state"', true), 200, 'body_mismatch: Step 2 (cart): body does not contain ""state""'],
    [body('contains', '"State"', true), 200, 'up'],
    [body('not_contains', 'error'), 200, 'up'],
    [body('not_contains', 'OK'), 200, 'body_mismatch: Step 2 (cart): body contains "OK"'],
    [body('not_contains', 'OK', true), 200, 'up'],

    [header('content-type', 'contains', 'html'), 200, 'up'],
    [header('Content-Type', 'contains', 'html'), 200, 'up'],
    [
      header('Content-Type', 'contains', 'json'),
      200,
      'header_mismatch: Step 2 (cart): expected header content-type to contain "json", got "text/html; charset=utf-8"',
    ],
    [header('content-type', 'equals', 'text/html; charset=utf-8'), 200, 'up'],
    [
      header('content-type', 'equals', 'text/html'),
      200,
      'header_mismatch: Step 2 (cart): expected header content-type to equal "text/html", got "text/html; charset=utf-8"',
    ],
    [
      header('x-a', 'contains', 'Two'),
      200,
      'header_mismatch: Step 2 (cart): expected header x-a to contain "Two", got "one, two"',
    ],
    [header('x-empty', 'equals', ''), 200, 'up'],
    [header('x-b', 'contains', ''), 200, 'header_missing: Step 2 (cart): header x-b is missing'],
    [header('__proto__', 'contains', ''), 200, 'header_missing: Step 2 (cart): header __proto__ is missing'],
    [header('toString', 'contains', ''), 200, 'header_missing: Step 2 (cart): header tostring is missing'],

    [json('State', 'equals', 'ok'), 200, 'up'],
    [
      json('State', 'equals', 'OK'),
      200,
      'json_mismatch: Step 2 (cart): expected JSON path State to equal "OK", got "ok"',
    ],
    [json('State', 'contains', 'o'), 200, 'up'],
    [
      json('State', 'contains', 'O'),
      200,
      'json_mismatch: Step 2 (cart): expected JSON path State to contain "O", got "ok"',
    ],
    [json('items[0].name', 'exists'), 200, 'up'],
    [
      json('items[1].name', 'exists'),
      200,
      'json_missing: Step 2 (cart): JSON path items[1].name does not exist',
    ],
  ])('%j of a %d: %s', (assertions, code, expected) => {
    expect(judge(assertions, answer(code, headers, text))).toBe(expected)
  })

  test('on a repeated Set-Cookie pass when one of them matches, and never show one', () => {
    const cookies = answer(200, { 'set-cookie': ['a=secret', 'b=2; Path=/'] }, '')
    expect(judge(header('set-cookie', 'equals', 'a=secret'), cookies)).toBe('up')
    expect(judge(header('set-cookie', 'contains', 'b='), cookies)).toBe('up')
    expect(judge(header('set-cookie', 'contains', 'c='), cookies)).toBe(
      'header_mismatch: Step 2 (cart): expected header set-cookie to contain "c=", got another value',
    )
  })
})

describe('the groups', () => {
  const all: StepAssertions = {
    ...noStepAssertions,
    ...status(200, 200),
    ...body('contains', 'x'),
    ...header('x-a', 'equals', 'b'),
    ...json('a', 'exists'),
  }
  test.each([
    [500, {}, 'nothing', 'status_mismatch'],
    [200, {}, 'nothing', 'body_mismatch'],
    [200, {}, 'x', 'header_missing'],
    [200, { 'x-a': 'c' }, 'x', 'header_mismatch'],
    [200, { 'x-a': 'b' }, 'x', 'json_invalid'],
    [200, { 'x-a': 'b' }, '{"x":1}', 'json_missing'],
    [200, { 'x-a': 'b' }, '{"x":1,"a":1}', 'up'],
  ])('are checked in the order status, body, header, JSON path: %d %j %s', (code, headers, text, cause) => {
    expect(judge(all, answer(code, headers, text)).split(':')[0]).toBe(cause)
  })

  test('keep that order also when the body cannot be read', () => {
    const unreadable = answer(200, {}, 'z')
    if (unreadable.ok && unreadable.body !== null) unreadable.body.undecoded = 'zstd'
    expect(judge(all, unreadable)).toMatch(/^body_unreadable/)
    expect(judge({ ...all, bodyOp: null }, unreadable)).toMatch(/^header_missing/)
    expect(judge(json('a', 'exists'), unreadable)).toMatch(/^body_unreadable/)
    expect(judge(header('x-a', 'equals', 'b'), unreadable)).toMatch(/^header_missing/)
  })
})

test('a reason is cut at the limit of a reading, never inside a character', () => {
  const jsonPath = `${'a'.repeat(250)}.${'\u{1f6d2}'.repeat(40)}`
  const lengths = ['n', 'nn'].map((name) => {
    const told = judge(json(jsonPath, 'exists'), answer(200, {}, '{}'), name)
    const reason = told.replace('json_missing: ', '')
    expect(reason.isWellFormed()).toBe(true)
    return reason.length
  })
  expect(lengths.toSorted((a, b) => a - b)).toEqual([
    limits.reasonCharactersMax - 1,
    limits.reasonCharactersMax,
  ])
})
