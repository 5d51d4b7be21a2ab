import { z } from 'zod'
import { limits } from '../schema/limits.ts'
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

/**
 * The eight assertion fields of an http check (S-303 to S-306). Absent and null both mean
 * unset. Values are literals: regular expressions are never accepted.
 */
export const AssertionFields = z.strictObject({
  assertionStatusMin: z.int().min(100).max(599).nullish(),
  assertionStatusMax: z.int().min(100).max(599).nullish(),
  assertionBodyOp: z.enum(['contains', 'not_contains']).nullish(),
  assertionBodyValue: z.string().min(1).max(limits.assertionValueCharactersMax).nullish(),
  assertionBodyCaseSensitive: z.boolean().nullish(),
  assertionJsonPath: z.string().min(1).max(limits.jsonPathCharactersMax).nullish(),
  assertionJsonOp: z.enum(['equals', 'contains', 'exists']).nullish(),
  assertionJsonValue: z
    .union(
      [z.string().max(limits.assertionValueCharactersMax), z.number(), z.boolean()],
      `must be text of at most ${limits.assertionValueCharactersMax} characters, a number or a boolean`,
    )
    .transform(String)
    .nullish(),
})
export type AssertionFields = z.infer<typeof AssertionFields>

/** The same eight with null for unset: how a check carries them. */
export const Assertions = z.object({
  assertionStatusMin: z.int().nullable(),
  assertionStatusMax: z.int().nullable(),
  assertionBodyOp: z.enum(['contains', 'not_contains']).nullable(),
  assertionBodyValue: z.string().nullable(),
  assertionBodyCaseSensitive: z.boolean().nullable(),
  assertionJsonPath: z.string().nullable(),
  assertionJsonOp: z.enum(['equals', 'contains', 'exists']).nullable(),
  assertionJsonValue: z.string().nullable(),
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

/** The fields of an input as a check carries them: unset becomes null. */
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

/** Parameters of the issues that `refineAssertions` adds for what the grammar refuses. */
export const grammarIssue = { grammar: true } as const

/**
 * The rules above as part of a body's schema. Fields that are wrong by themselves are left out, and
 * wrong neighbours do not silence it, so that every problem of a body is listed at once.
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
      params: problem.grammar ? grammarIssue : {},
    })
  }
}

/** Lets `refineAssertions` run beside other problems, on anything that is an object. */
export const whenObject = {
  when: (payload: z.core.ParsePayload): boolean =>
    typeof payload.value === 'object' && payload.value !== null && !Array.isArray(payload.value),
}

/** The body of `PATCH /checks/:id/assertions`: a full replace, what is left out is cleared. */
export const UpdateCheckAssertionsInput = AssertionFields.superRefine(refineAssertions, whenObject)
export type UpdateCheckAssertionsInput = z.infer<typeof UpdateCheckAssertionsInput>
