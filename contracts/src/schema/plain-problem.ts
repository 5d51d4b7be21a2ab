import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/**
 * The default error of an invalid value; it follows the field's name. For
 * `safeParse(value, { error: plainProblem })`.
 * @returns undefined to use the message of zod
 */
export const plainProblem = (issue: Issue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : typeText(issue.expected, issue.input)
    case 'too_small':
      return bound(issue.origin, issue.minimum, {
        word: 'at least',
        isExclusive: issue.inclusive === false,
      })
    case 'too_big':
      return bound(issue.origin, issue.maximum, {
        word: 'at most',
        isExclusive: issue.inclusive === false,
      })
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return formats[issue.format]
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return undefined
  }
}

const formats: Readonly<Record<string, string | undefined>> = {
  uuid: 'must be an id',
  email: 'must be an e-mail address',
  url: 'must be an address such as https://example.org/',
  datetime: 'must be a time such as 2026-11-20T12:00:00.000Z',
}

const types: Readonly<Record<string, string | undefined>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
}

const typeText = (expected: string, input: unknown): string | undefined =>
  expected === 'number' && typeof input === 'number' ? 'must be a number' : types[expected]

const bound = (
  origin: string,
  limit: number | bigint,
  { word, isExclusive }: { word: string; isExclusive: boolean },
): string => {
  if (origin === 'string' || origin === 'array' || origin === 'set') {
    const unit = origin === 'string' ? 'character' : 'entr'
    const ending = origin === 'string' ? 's' : 'ies'
    const one = origin === 'string' ? '' : 'y'
    if (word === 'at least' && Number(limit) === 1) return 'must not be empty'
    return `must have ${word} ${limit} ${unit}${Number(limit) === 1 ? one : ending}`
  }
  if (!isExclusive) return `must be ${word} ${limit}`
  return word === 'at least' ? `must be more than ${limit}` : `must be less than ${limit}`
}
