import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import {
  assertionProblems,
  grammarIssue,
  whenObject,
  type AssertionProblem,
  type Assertions,
} from './assertions.ts'
import { limits } from '../schema/limits.ts'

/** RFC 9110 5.6.2: a field name is a token. */
const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'must be the name of a header')

const value = z.string().max(limits.assertionValueCharactersMax)

/**
 * A step's assertions (S-404), evaluated in the order status, body, header, JSON path. Absent and null both mean
 * unset. Without assertions 2xx is up.
 */
export const StepAssertionFields = z.strictObject({
  statusMin: z.int().min(100).max(599).nullish(),
  statusMax: z.int().min(100).max(599).nullish(),
  bodyOp: z.enum(['contains', 'not_contains']).nullish(),
  bodyValue: value.min(1).nullish(),
  bodyCaseSensitive: z.boolean().nullish(),
  headerName: headerName.nullish(),
  headerOp: z.enum(['equals', 'contains']).nullish(),
  headerValue: value.nullish(),
  jsonPath: z.string().min(1).max(limits.jsonPathCharactersMax).nullish(),
  jsonOp: z.enum(['equals', 'contains', 'exists']).nullish(),
  jsonValue: z
    .union(
      [value, z.number(), z.boolean()],
      `must be text of at most ${limits.assertionValueCharactersMax} characters, a number or a boolean`,
    )
    .transform(String)
    .nullish(),
})
export type StepAssertionFields = z.infer<typeof StepAssertionFields>

/** The assertions of a step, with null for unset. */
export const StepAssertions = z.object({
  statusMin: field(z.int().nullable(), 'Lowest HTTP status that counts as up.', 200),
  statusMax: field(z.int().nullable(), 'Highest HTTP status that counts as up.', 299),
  bodyOp: field(
    z.enum(['contains', 'not_contains']).nullable(),
    'How the body is compared with `bodyValue`.',
    'contains',
  ),
  bodyValue: field(z.string().nullable(), 'Literal text.', 'Welcome'),
  bodyCaseSensitive: field(z.boolean().nullable(), 'Whether upper and lower case differ.', false),
  headerName: field(z.string().nullable(), 'Name of a header, in any case.', 'content-type'),
  headerOp: field(
    z.enum(['equals', 'contains']).nullable(),
    'How the header is compared with `headerValue`.',
    'contains',
  ),
  headerValue: field(z.string().nullable(), 'Literal text.', 'json'),
  jsonPath: field(z.string().nullable(), 'Path of a field in a JSON body.', 'items[0].name'),
  jsonOp: field(
    z.enum(['equals', 'contains', 'exists']).nullable(),
    'How the field is compared with `jsonValue`.',
    'equals',
  ),
  jsonValue: field(z.string().nullable(), 'Value that the field is compared with.', 'ok'),
})
export type StepAssertions = z.infer<typeof StepAssertions>
components.add(StepAssertions, { id: 'StepAssertions' })

export const noStepAssertions: StepAssertions = {
  statusMin: null,
  statusMax: null,
  bodyOp: null,
  bodyValue: null,
  bodyCaseSensitive: null,
  headerName: null,
  headerOp: null,
  headerValue: null,
  jsonPath: null,
  jsonOp: null,
  jsonValue: null,
}

type Name = keyof StepAssertions
const names = Object.keys(noStepAssertions) as Name[]

/** Converts the fields of an input to those of a step: unset becomes null. */
export const toStepAssertions = (fields: StepAssertionFields | null | undefined): StepAssertions => ({
  ...noStepAssertions,
  ...Object.fromEntries(Object.entries(fields ?? {}).filter(([, each]) => each !== undefined)),
})

/** A step's status, body and JSON path assertions under the field names of a check. */
export const asCheckAssertions = (step: StepAssertions): Assertions => ({
  assertionStatusMin: step.statusMin,
  assertionStatusMax: step.statusMax,
  assertionBodyOp: step.bodyOp,
  assertionBodyValue: step.bodyValue,
  assertionBodyCaseSensitive: step.bodyCaseSensitive,
  assertionJsonPath: step.jsonPath,
  assertionJsonOp: step.jsonOp,
  assertionJsonValue: step.jsonValue,
})

/** A problem of several fields together. `grammar` selects SV-2002 instead of SV-2001. */
type StepAssertionProblem = Omit<AssertionProblem, 'path' | 'rule'> & { path: Name }

/** The problems that the schema alone cannot detect, within and between fields. */
export const stepAssertionProblems = (step: StepAssertions): StepAssertionProblem[] => {
  const shared = assertionProblems(asCheckAssertions(step)).map((problem) => ({
    ...problem,
    path: stepName(problem.path),
    message: problem.message.replaceAll(/\bassertion[A-Z]\w*/g, stepName),
  }))
  return [...shared, ...headerProblems(step)]
}

const headerProblems = ({ headerName, headerOp, headerValue }: StepAssertions) => {
  if (headerName === null && headerOp === null && headerValue === null) return []
  const missing: [Name, unknown, string][] = [
    ['headerName', headerName, 'is required with headerOp and headerValue'],
    ['headerOp', headerOp, 'is required with headerName: equals or contains'],
    ['headerValue', headerValue, 'is required with headerName'],
  ]
  return missing
    .filter(([, each]) => each === null)
    .map(([path, , message]) => ({ path, message, grammar: false }))
}

/** `assertionStatusMin` becomes `statusMin`. */
export const stepName = (name: string): Name => {
  const bare = name.replace(/^assertion/, '')
  return `${bare.charAt(0).toLowerCase()}${bare.slice(1)}` as Name
}

/** A step's assertions as input. Fields with their own error do not hide problems of others. */
export const StepAssertionsInput = StepAssertionFields.superRefine((fields, context) => {
  const wrong = new Set(context.issues.map((issue) => issue.path?.[0]))
  const sound = Object.fromEntries(
    names.filter((name) => !wrong.has(name)).map((name) => [name, fields[name]]),
  )
  for (const problem of stepAssertionProblems(toStepAssertions(sound))) {
    if (wrong.has(problem.path)) continue
    const params = problem.grammar ? grammarIssue : {}
    context.addIssue({ code: 'custom', path: [problem.path], message: problem.message, params })
  }
}, whenObject)
