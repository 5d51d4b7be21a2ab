import { z } from 'zod'
import { formatPath, isGrammarIssue, type FieldProblem, type RefusalCode } from '../schema/refusal.ts'
import { plainProblem } from '../schema/plain-problem.ts'
import { unstorableMessage, unstorableTexts } from '../schema/storable-text.ts'
import { anyOperator, type AllowList } from '../target/address.ts'
import { targetRuleOf } from '../target/private-targets.ts'
import { targetProblem } from '../target/target.ts'
import { assertionRules } from './assertions.ts'

// The rules of an http check that need no account: the API, files of checks and the Terraform provider judge by them.

/** The rules that schemas of checks cannot describe, by their names in `CheckProblem`. */
export const refinedRules = ['name_blank', 'regions_twice', 'regions_mixed', ...assertionRules] as const

/** A field that breaks a rule: one of `refinedRules`, a `TargetRule`, or field and keyword, such as `name.max`. */
export type CheckProblem = FieldProblem & {
  readonly parts: readonly PropertyKey[]
  readonly rule: string
  readonly code: Extract<RefusalCode, 'SV-2001' | 'SV-2002' | 'SV-5001'>
}

/** Deeper fields are unknown fields. */
const depthMax = 4

/**
 * Parses the input of an http check, and lists all its problems: of its fields, of the relations between them, and of
 * its target.
 * @param schema of the input: that of `POST /checks`, or one with a part of its fields
 * @param targetAllow non-public targets that are allowed; by default all that some operator could allow
 * @returns no value if a field is wrong
 */
export const judgeCheck = <S extends z.ZodType>(
  schema: S,
  input: unknown,
  targetAllow: AllowList = anyOperator,
): { value: z.output<S> | undefined; problems: CheckProblem[] } => {
  const parsed = schema.safeParse(input, { error: plainProblem })
  const found = [...(parsed.success ? [] : parsed.error.issues.flatMap(issueProblems)), ...unstorable(input)]
  const isSound = (field: string): boolean => !found.some(({ parts }) => parts[0] === field)
  const unsafe = isSound('url') ? unsafeTarget(input, isSound('regions'), targetAllow) : []
  return { value: parsed.data, problems: [...found, ...unsafe] }
}

const problem = (
  parts: readonly PropertyKey[],
  rule: string,
  message: string,
  code: CheckProblem['code'] = 'SV-2001',
): CheckProblem => ({ parts, path: formatPath(parts), rule, message, code })

const unstorable = (input: unknown): CheckProblem[] =>
  unstorableTexts(input, depthMax).map((path) => problem(path, 'storable', unstorableMessage))

/** The target of a check with unknown regions is judged as one of the mesh. */
const unsafeTarget = (input: unknown, hasRegions: boolean, allow: AllowList): CheckProblem[] => {
  const { url, regions } = Object(input)
  if (typeof url !== 'string') return []
  const named = hasRegions && Array.isArray(regions) ? regions : undefined
  const broken = targetProblem(url, { allow: targetRuleOf(named, allow) })
  return broken === null ? [] : [problem(['url'], broken.rule, broken.message, 'SV-5001')]
}

const issueProblems = (issue: z.core.$ZodIssue): CheckProblem[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problem([...issue.path, key], 'unknown', 'unknown field'))
  }
  return [problem(issue.path, ruleOf(issue), issue.message, isGrammarIssue(issue) ? 'SV-2002' : 'SV-2001')]
}

const keywords: Readonly<Partial<Record<z.core.$ZodIssue['code'], string>>> = {
  too_small: 'min',
  too_big: 'max',
  invalid_format: 'pattern',
  invalid_value: 'values',
}

const ruleOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'custom') return String(issue.params?.['rule'])
  const field = issue.path.filter((part) => typeof part === 'string').join('.')
  const isItem = typeof issue.path.at(-1) === 'number'
  return `${field}${isItem ? '[]' : ''}.${keywords[issue.code] ?? 'type'}`
}

/**
 * The names of all rules that `judgeCheck` may report with a schema of a check, targets left out: from the schema
 * itself, so that a test can hold an example against each.
 */
export const schemaRules = (schema: z.ZodType): string[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const ofFields = Object.entries(properties).flatMap(([field, rules]) => keywordsOf(field, rules))
  return [...new Set([...required.map((field) => `${field}.type`), ...ofFields, 'unknown', 'storable'])]
}

const keywordNames = {
  minLength: 'min',
  maxLength: 'max',
  minimum: 'min',
  maximum: 'max',
  minItems: 'min',
  maxItems: 'max',
  pattern: 'pattern',
  enum: 'values',
} as const

const keywordsOf = (field: string, schema: unknown): string[] => {
  const { anyOf, items, ...rules } = Object(schema)
  const own = Object.entries(keywordNames).flatMap(([keyword, name]) =>
    keyword in rules ? `${field}.${name}` : [],
  )
  const alternatives = Array.isArray(anyOf) ? anyOf.filter(({ type }) => type !== 'null') : []
  // several types at once are one rule
  const inner = alternatives.length === 1 ? keywordsOf(field, alternatives[0]) : []
  return [
    ...('enum' in rules || alternatives.length === 1 ? [] : [`${field}.type`]),
    ...own,
    ...inner,
    ...(items === undefined ? [] : keywordsOf(`${field}[]`, items)),
  ]
}
