import { isDeepStrictEqual } from 'node:util'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { parseJsonPath } from '@probe-mesh/contracts/check/json-path'
import { requestOfStep } from '@probe-mesh/contracts/check/step'
import { asCheckAssertions, stepName } from '@probe-mesh/contracts/check/step-assertions'
import { refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { StoredConfig } from '../../records/check/check-record.ts'

type Field = keyof Assertions | 'redirectsTo'
type Problem = { field: Field; message: string }

/** A check, as far as it is judged here. */
export type Judged = { readonly config: StoredConfig; readonly assertions: Assertions }

/** What one request of a check expects, and where its input has the fields. */
type Expecting = {
  readonly method: string
  readonly redirectsTo: string | undefined
  readonly assertions: Assertions
  pathOf(field: Field): string
}

/** The requests of a check; none for a type without requests. */
const expecting = ({ config, assertions }: Judged): Expecting[] => {
  if (config.type === 'http') {
    const { method = 'GET', redirectsTo } = config.request ?? {}
    const pathOf = (field: Field): string => (field === 'redirectsTo' ? `request.${field}` : field)
    return [{ method, redirectsTo, assertions, pathOf }]
  }
  if (config.type !== 'multistep') return []
  return config.steps.map((step, at) => {
    const { method = 'GET', redirectsTo } = requestOfStep(step)
    const pathOf = (field: Field): string =>
      `steps[${at}].${field === 'redirectsTo' ? `options.${field}` : `assertions.${stepName(field)}`}`
    return { method, redirectsTo, assertions: asCheckAssertions(step.assertions), pathOf }
  })
}

/**
 * SV-2001 for a check that would be saved with assertions that no answer can meet, or none can fail (S-362), in the
 * fields of its input.
 * @param before as it is stored: what a request expected already keeps running, whatever else of it changes. Absent: it is new
 */
export const refuseImpossible = (check: Judged, before?: Judged): Refusal | null => {
  const known = before === undefined ? [] : expecting(before)
  const errors = expecting(check)
    .filter((one) => !known.some((other) => expectsSame(one, other)))
    .flatMap((one) =>
      problemsOf(one).map(({ field, message }): FieldProblem => ({ path: one.pathOf(field), message })),
    )
  return errors.length === 0 ? null : refuse('SV-2001', { errors })
}

const expectsSame = (one: Expecting, other: Expecting): boolean =>
  one.method === other.method &&
  one.redirectsTo === other.redirectsTo &&
  isDeepStrictEqual(one.assertions, other.assertions)

const problemsOf = ({ method, redirectsTo, assertions }: Expecting): Problem[] => [
  ...statusProblems(assertions, redirectsTo),
  ...bodyProblems(assertions, method),
  ...contradictions(assertions),
]

/** RFC 9110 15.2: an interim answer is never the last. */
const finalStatusMin = 200
const redirectStatuses = [301, 302, 303, 307, 308]

const rangeOf = ({ assertionStatusMin: min, assertionStatusMax: max }: Assertions) =>
  min === null && max === null ? null : { min: min ?? 100, max: max ?? 599 }

const statusProblems = (assertions: Assertions, redirectsTo: string | undefined): Problem[] => {
  const range = rangeOf(assertions)
  if (range === null) return []
  if (range.max < finalStatusMin) {
    const message = 'is never met: an answer with status 100 to 199 is followed by the final one'
    return [{ field: 'assertionStatusMax', message }]
  }
  const mayRedirect = redirectStatuses.some((status) => status >= range.min && status <= range.max)
  return redirectsTo === undefined || mayRedirect
    ? []
    : [
        {
          field: 'redirectsTo',
          message: 'is never met: the expected statuses contain no redirect (301, 302, 303, 307, 308)',
        },
      ]
}

/** RFC 9110 9.3.2, 15.3.5, 15.3.6, 15.4.5. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const bodyProblems = (assertions: Assertions, method: string): Problem[] => {
  const { assertionBodyOp: op, assertionJsonPath } = assertions
  const absence = absenceOf(assertions, method)
  if (absence === null) return []
  const never = op === 'contains' ? 'is never met' : 'never fails'
  return [
    ...(op === null ? [] : [{ field: 'assertionBodyOp' as const, message: `${never}: ${absence}` }]),
    ...(assertionJsonPath === null
      ? []
      : [{ field: 'assertionJsonPath' as const, message: `is never met: ${absence}` }]),
  ]
}

const absenceOf = (assertions: Assertions, method: string): string | null => {
  if (method === 'HEAD') return 'an answer to HEAD has no body; choose GET, or assert the status'
  const range = rangeOf(assertions)
  if (range === null || range.min !== range.max || !withoutBody.has(range.min)) return null
  return `an answer with status ${range.min} has no body`
}

/** Letters and digits alone: other characters a JSON text may write in other ways. */
const plainText = /^[\w .-]{1,1000}$/

const contradictions = ({
  assertionBodyOp: op,
  assertionBodyValue: forbidden,
  assertionBodyCaseSensitive: isExact,
  assertionJsonPath: path,
  assertionJsonOp: jsonOp,
  assertionJsonValue: expected,
}: Assertions): Problem[] => {
  if (op !== 'not_contains' || forbidden === null || path === null || !plainText.test(forbidden)) return []
  const parsed = parseJsonPath(path)
  const keys = parsed.ok ? parsed.parts.filter((part) => typeof part === 'string') : []
  // a number has several spellings
  const isText = jsonOp !== 'exists' && expected !== null && !/^[-\d.]/.test(expected)
  const needed = [...keys, ...(isText ? [expected] : [])]
  const written = (text: string): string => (isExact === true ? text : text.toLowerCase())
  const found = needed.find((text) => written(text).includes(written(forbidden)))
  return found === undefined
    ? []
    : [
        {
          field: 'assertionBodyValue',
          message: `contradicts the JSON assertion, which needs "${found.slice(0, 60)}" in the body`,
        },
      ]
}
