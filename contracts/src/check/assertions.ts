import { z } from 'zod'
import { field } from '../schema/field.ts'
import { limits } from '../schema/limits.ts'
import { parseJsonPath } from './json-path.ts'

/** The rules between assertion fields. */
export const assertionRules = [
  'status_order',
  'body_value_missing',
  'body_op_missing',
  'body_op_for_case',
  'json_path_grammar',
  'json_op_missing',
  'json_path_missing',
  'json_value_with_exists',
  'json_value_missing',
] as const
type AssertionRule = (typeof assertionRules)[number]

/** A problem of several fields together. `grammar` selects SV-2002 instead of SV-2001. */
export type AssertionProblem = {
  path: keyof Assertions
  rule: AssertionRule
  message: string
  grammar: boolean
}

/** The problems that the schema alone cannot detect, within and between fields. */
export const assertionProblems = (fields: Assertions): AssertionProblem[] => {
  const problems: AssertionProblem[] = []
  const add = (path: keyof Assertions, rule: AssertionRule, message: string): void => {
    problems.push({ path, rule, message, grammar: rule === 'json_path_grammar' })
  }
  const { assertionStatusMin: min, assertionStatusMax: max } = fields
  if (min !== null && max !== null && min > max) {
    add('assertionStatusMin', 'status_order', `must not be above assertionStatusMax (${max})`)
  }
  if (fields.assertionBodyOp !== null && fields.assertionBodyValue === null) {
    add('assertionBodyValue', 'body_value_missing', 'is required with assertionBodyOp')
  }
  if (fields.assertionBodyValue !== null && fields.assertionBodyOp === null) {
    add('assertionBodyOp', 'body_op_missing', 'is required with assertionBodyValue: contains or not_contains')
  }
  if (fields.assertionBodyCaseSensitive !== null && fields.assertionBodyOp === null) {
    add('assertionBodyOp', 'body_op_for_case', 'is required with assertionBodyCaseSensitive')
  }
  if (fields.assertionJsonPath !== null) {
    const path = parseJsonPath(fields.assertionJsonPath)
    if (!path.ok) {
      add('assertionJsonPath', 'json_path_grammar', `${path.message} (at character ${path.position + 1})`)
    }
    if (fields.assertionJsonOp === null) {
      add(
        'assertionJsonOp',
        'json_op_missing',
        'is required with assertionJsonPath: equals, contains or exists',
      )
    }
  } else if (fields.assertionJsonOp !== null || fields.assertionJsonValue !== null) {
    add('assertionJsonPath', 'json_path_missing', 'is required with assertionJsonOp and assertionJsonValue')
  }
  if (fields.assertionJsonOp === 'exists' && fields.assertionJsonValue !== null) {
    add('assertionJsonValue', 'json_value_with_exists', 'must not be set with the op exists')
  }
  if (
    (fields.assertionJsonOp === 'equals' || fields.assertionJsonOp === 'contains') &&
    fields.assertionJsonValue === null
  ) {
    add('assertionJsonValue', 'json_value_missing', `is required with the op ${fields.assertionJsonOp}`)
  }
  return problems
}

/**
 * The eight assertion fields of an http check (S-303 to S-306). Absent and null both mean
 * unset. Values are literals: regular expressions are never accepted.
 */
export const AssertionFields = z.strictObject({
  assertionStatusMin: field(z.int().min(100).max(599).nullish(), 'Lowest status that is up.', 200),
  assertionStatusMax: field(z.int().min(100).max(599).nullish(), 'Highest status that is up.', 299),
  assertionBodyOp: field(
    z.enum(['contains', 'not_contains']).nullish(),
    'How the body is compared.',
    'contains',
  ),
  assertionBodyValue: field(
    z.string().min(1).max(limits.assertionValueCharactersMax).nullish(),
    'Literal text, no pattern.',
    'ok',
  ),
  assertionBodyCaseSensitive: field(z.boolean().nullish(), 'Whether case matters.', false),
  assertionJsonPath: field(
    z.string().min(1).max(limits.jsonPathCharactersMax).nullish(),
    'JSON field, as `a.items[0].name`.',
    'status',
  ),
  assertionJsonOp: field(
    z.enum(['equals', 'contains', 'exists']).nullish(),
    'How the JSON field is compared.',
    'equals',
  ),
  assertionJsonValue: field(
    z
      .union(
        [z.string().max(limits.assertionValueCharactersMax), z.number(), z.boolean()],
        `must be text of at most ${limits.assertionValueCharactersMax} characters, a number or a boolean`,
      )
      .transform(String)
      .nullish(),
    'Value to compare with.',
    'ok',
  ),
})
export type AssertionFields = z.infer<typeof AssertionFields>

/** The eight fields in a check, with null for unset. */
export const Assertions = z.object({
  assertionStatusMin: field(z.int().nullable(), 'Lowest status that is up.', 200),
  assertionStatusMax: field(z.int().nullable(), 'Highest status that is up.', 299),
  assertionBodyOp: field(
    z.enum(['contains', 'not_contains']).nullable(),
    'How the body is compared.',
    'contains',
  ),
  assertionBodyValue: field(z.string().nullable(), 'Literal text, no pattern.', 'ok'),
  assertionBodyCaseSensitive: field(z.boolean().nullable(), 'Whether case matters.', false),
  assertionJsonPath: field(z.string().nullable(), 'JSON field, as `a.items[0].name`.', 'status'),
  assertionJsonOp: field(
    z.enum(['equals', 'contains', 'exists']).nullable(),
    'How the JSON field is compared.',
    'equals',
  ),
  assertionJsonValue: field(z.string().nullable(), 'Value to compare with.', 'ok'),
})
export type Assertions = z.infer<typeof Assertions>

export const noAssertions: Assertions = {
  assertionStatusMin: null,
  assertionStatusMax: null,
  assertionBodyOp: null,
  assertionBodyValue: null,
  assertionBodyCaseSensitive: null,
  assertionJsonPath: null,
  assertionJsonOp: null,
  assertionJsonValue: null,
}

export const assertionNames = Object.keys(noAssertions) as (keyof Assertions)[]

/** Converts the fields of an input to those of a check: unset becomes null. */
export const toAssertions = (fields: AssertionFields): Assertions => ({
  assertionStatusMin: fields.assertionStatusMin ?? null,
  assertionStatusMax: fields.assertionStatusMax ?? null,
  assertionBodyOp: fields.assertionBodyOp ?? null,
  assertionBodyValue: fields.assertionBodyValue ?? null,
  assertionBodyCaseSensitive: fields.assertionBodyCaseSensitive ?? null,
  assertionJsonPath: fields.assertionJsonPath ?? null,
  assertionJsonOp: fields.assertionJsonOp ?? null,
  assertionJsonValue: fields.assertionJsonValue ?? null,
})

/** Parameters of the issues that `refineAssertions` adds for pattern languages. */
export const grammarIssue = { grammar: true } as const

/**
 * Adds `assertionProblems` to a schema. It skips fields with their own error but still checks the others, so
 * that one response lists all problems.
 */
export const refineAssertions = (
  fields: AssertionFields,
  context: z.core.$RefinementCtx<AssertionFields>,
): void => {
  const wrong = new Set(context.issues.map((issue) => issue.path?.[0]))
  const sound = Object.fromEntries(
    assertionNames.filter((name) => !wrong.has(name)).map((name) => [name, fields[name]]),
  )
  for (const problem of assertionProblems(toAssertions(sound))) {
    if (wrong.has(problem.path)) continue
    context.addIssue({
      code: 'custom',
      path: [problem.path],
      message: problem.message,
      params: { rule: problem.rule, ...(problem.grammar && grammarIssue) },
    })
  }
}

/** Lets `refineAssertions` run on any object, even after other problems. */
export const whenObject = {
  when: (payload: z.core.ParsePayload): boolean =>
    typeof payload.value === 'object' && payload.value !== null && !Array.isArray(payload.value),
}

/** The body of `PATCH /checks/:id/assertions`. It replaces all assertions; missing fields are cleared. */
export const UpdateCheckAssertionsInput = AssertionFields.superRefine(refineAssertions, whenObject)
export type UpdateCheckAssertionsInput = z.infer<typeof UpdateCheckAssertionsInput>
