import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Problem,
  fieldProblems,
  isRefusal,
  refusals,
  refuse,
  toProblem,
  type RefusalCode,
} from './refusal.ts'

const codes = Object.keys(refusals).filter((code): code is RefusalCode => code in refusals)

describe('every refusal', () => {
  test.each(codes)('%s has a code of the form SV-dddd, an error status and whole sentences', (code) => {
    expect(code).toMatch(/^SV-\d{4}$/)
    expect(refusals[code].status).toSatisfy((status: number) => status >= 400 && status < 600)
    expect(refusals[code].message).toMatch(/^[A-Z].*\.$/)
  })

  test.each(codes)('%s is a valid problem whose detail is its message', (code) => {
    const problem = toProblem(refuse(code))
    expect(Problem.parse(problem)).toEqual(problem)
    expect(problem).toMatchObject({
      code,
      status: refusals[code].status,
      detail: problem.message,
      type: expect.stringContaining(code),
    })
  })

  test('uses the message, status, fields and wait of the caller', () => {
    const errors = [{ path: 'url', message: 'is missing' }]
    const refusal = refuse('SV-2001', { message: 'No.', status: 400, errors, retryAfterSeconds: 3 })
    expect(refusal).toEqual({
      refused: 'SV-2001',
      status: 400,
      message: 'No.',
      errors,
      retryAfterSeconds: 3,
    })
    expect(toProblem(refusal)).toMatchObject({ status: 400, detail: 'No.', errors })
  })

  test('has no retryAfterSeconds without a wait', () => {
    expect(refuse('SV-3001')).not.toHaveProperty('retryAfterSeconds')
  })
})

describe('isRefusal', () => {
  test.each([null, undefined, 'refused', 0, {}, new Error('refused'), { code: 'SV-3001' }])(
    'is false for %j',
    (value) => expect(isRefusal(value)).toBe(false),
  )
  test('is true for a refusal', () => expect(isRefusal(refuse('SV-3001'))).toBe(true))
})

describe('the problems of an input', () => {
  const Input = z.strictObject({
    name: z.string(),
    regions: z.array(z.string().length(3)),
    deep: z.object({ list: z.array(z.object({ id: z.int() })) }).optional(),
  })
  const paths = (input: unknown): string[] => {
    const parsed = Input.safeParse(input)
    return parsed.success ? [] : fieldProblems(parsed.error).map((problem) => problem.path)
  }

  test('are all listed, with paths in dots and brackets', () => {
    expect(paths({ regions: ['fra', 'x'], deep: { list: [{ id: 1 }, { id: 'a' }] } })).toEqual([
      'name',
      'regions[1]',
      'deep.list[1].id',
    ])
  })

  test('name each unknown field on its own', () => {
    expect(paths({ name: 'a', regions: [], one: 1, two: 2 })).toEqual(['one', 'two'])
  })

  test('have an empty path when the input is not an object', () => expect(paths(7)).toEqual(['']))
})
