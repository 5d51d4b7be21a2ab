import type { Assertions } from './assertions.ts'
import { parseJsonPath } from './json-path.ts'

/** A rule that the fields break together; `grammar` tells SV-2002 from SV-2001. */
export type AssertionProblem = { path: keyof Assertions; message: string; grammar: boolean }

/** Every problem between and inside the fields that the schema alone cannot see. */
export const assertionProblems = (fields: Assertions): AssertionProblem[] => {
  const problems: AssertionProblem[] = []
  const say = (path: keyof Assertions, message: string, grammar = false): void => {
    problems.push({ path, message, grammar })
  }
  const { assertionStatusMin: min, assertionStatusMax: max } = fields
  if (min !== null && max !== null && min > max) {
    say('assertionStatusMin', `must not be above assertionStatusMax (${max})`)
  }
  if (fields.assertionBodyOp !== null && fields.assertionBodyValue === null) {
    say('assertionBodyValue', 'is required with assertionBodyOp')
  }
  if (fields.assertionBodyValue !== null && fields.assertionBodyOp === null) {
    say('assertionBodyOp', 'is required with assertionBodyValue: contains or not_contains')
  }
  if (fields.assertionBodyCaseSensitive !== null && fields.assertionBodyOp === null) {
    say('assertionBodyOp', 'is required with assertionBodyCaseSensitive')
  }
  if (fields.assertionJsonPath !== null) {
    const path = parseJsonPath(fields.assertionJsonPath)
    if (!path.ok) {
      say('assertionJsonPath', `${path.message} (at character ${path.position + 1})`, true)
    }
    if (fields.assertionJsonOp === null) {
      say('assertionJsonOp', 'is required with assertionJsonPath: equals, contains or exists')
    }
  } else if (fields.assertionJsonOp !== null || fields.assertionJsonValue !== null) {
    say('assertionJsonPath', 'is required with assertionJsonOp and assertionJsonValue')
  }
  if (fields.assertionJsonOp === 'exists' && fields.assertionJsonValue !== null) {
    say('assertionJsonValue', 'has no meaning with the op exists')
  }
  if (
    (fields.assertionJsonOp === 'equals' || fields.assertionJsonOp === 'contains') &&
    fields.assertionJsonValue === null
  ) {
    say('assertionJsonValue', `is required with the op ${fields.assertionJsonOp}`)
  }
  return problems
}
