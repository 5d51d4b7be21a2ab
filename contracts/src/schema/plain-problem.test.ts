import { expect, test } from 'vitest'
import { z } from 'zod'
import { plainProblem } from './plain-problem.ts'

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is missing'],
  [z.string(), 1, 'must be a text'],
  [z.number(), 'x', 'must be a number'],
  [z.number(), Number.NaN, 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'true', 'must be true or false'],
  [z.array(z.string()), 'x', 'must be a list'],
  [z.string().min(1), '', 'must not be empty'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.string().min(2), 'x', 'must have at least 2 characters'],
  [z.string().max(1), 'xx', 'must have at most 1 character'],
  [z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 entries'],
  [z.number().min(3), 2, 'must be at least 3'],
  [z.number().gt(3), 3, 'must be more than 3'],
  [z.number().max(3), 4, 'must be at most 3'],
  [z.number().lt(3), 3, 'must be less than 3'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.literal('a'), 'c', 'must be a'],
  [z.uuid(), 'c', 'must be an id'],
  [z.email('must be mail'), 'c', 'must be mail'],
  [z.string().min(12, 'is too short'), '', 'is too short'],
])('%# the error of %j', (schema, value, message) => {
  const parsed = schema.safeParse(value, { error: plainProblem })
  expect(parsed.error?.issues.map((issue) => issue.message)).toEqual([message])
})
