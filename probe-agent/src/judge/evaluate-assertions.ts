import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { parseJsonPath, valueAt } from '@probe-mesh/contracts/check/json-path'
import { maskNothing, type Mask } from '../secrets/mask.ts'
import type { Answer } from '../request/outcome.ts'
import { decodeBody, type Doubt } from './body-text.ts'
import { evaluateHeader, type HeaderAssertion } from './evaluate-header.ts'
import { failed, passed, undecided, type Evaluation } from './evaluation.ts'
import { ExactNumber, isNumber, isNumberText, parseJson } from './json-numbers.ts'
import { quote } from './quote.ts'

/** Whether any assertion needs the body. */
export const readsBody = (assertions: Assertions): boolean =>
  assertions.assertionBodyOp !== null || assertions.assertionJsonPath !== null

/** Whether a status is inside the check's own range; false without one. */
export const isOwnStatus = (
  { assertionStatusMin: min, assertionStatusMax: max }: Assertions,
  status: number,
): boolean => (min !== null || max !== null) && status >= (min ?? 0) && status <= (max ?? 999)

/**
 * Checks a response against its assertions in the order status, body, header, JSON path, up to the
 * first failure (S-308, S-404). What the read part of a body does not decide is undecided (S-360): a failure of
 * another kind wins. Without a status assertion 2xx is expected. The body may be null only when no assertion needs it.
 * @param header only steps of journeys have one
 * @param mask for what reasons quote of the answer
 */
export const evaluateAssertions = (
  assertions: Assertions,
  response: Pick<Answer, 'status' | 'headers' | 'body' | 'method'>,
  header: HeaderAssertion | null = null,
  mask: Mask = maskNothing,
): Evaluation => {
  const status = evaluateStatus(assertions, response.status)
  if (!status.passed) return status
  const content = readsBody(assertions) ? contentOf(response, mask) : null
  let first: Evaluation = passed
  for (const evaluate of [
    () => evaluateBody(assertions, content),
    () => (header === null ? passed : evaluateHeader(header, response.headers, mask)),
    () => evaluateJson(assertions, content, mask),
  ]) {
    const found = evaluate()
    if (!found.passed && found.isJudged) return found
    if (first.passed) first = found
  }
  return first
}

/** A body as text for assertions, or why there is none. */
type Content =
  | {
      text: string
      truncated: boolean
      doubt: Doubt | null
      /** Why it is empty; null: it is not. */
      absence: string | null
    }
  | { unreadable: Evaluation }
  | null

const contentOf = (
  { status, headers, body, method }: Pick<Answer, 'status' | 'headers' | 'body' | 'method'>,
  mask: Mask,
): Content => {
  if (body === null) throw new Error('a body assertion without a body')
  const { undecoded, truncated } = body
  const absence = truncated || body.bytes.length > 0 ? null : absenceOf(status, method)
  if (undecoded === null || absence !== null) return { ...decodeBody(body, headers), truncated, absence }
  const reason = `the encoding ${quote(undecoded, mask)} of the body is unknown`
  return { unreadable: failed('body_unreadable', reason) }
}

/** RFC 9110 9.3.2, 15.3.5, 15.3.6 and 15.4.5: answers that never have content. */
const withoutContent: ReadonlySet<number> = new Set([204, 205, 304])

const absenceOf = (status: number, method: Answer['method']): string => {
  if (method === 'HEAD') return 'the answer to HEAD has no body'
  return withoutContent.has(status) ? `an answer with status ${status} has no body` : 'the body is empty'
}

const evaluateStatus = (assertions: Assertions, status: number): Evaluation => {
  const { assertionStatusMin, assertionStatusMax } = assertions
  const isOwn = assertionStatusMin !== null || assertionStatusMax !== null
  const min = isOwn ? (assertionStatusMin ?? 100) : 200
  const max = isOwn ? (assertionStatusMax ?? 599) : 299
  if (status >= min && status <= max) return passed
  const expected = min === max ? `${min}` : `${min}-${max}`
  return failed('status_mismatch', `expected status ${expected}, got ${status}`)
}

const inFirstBytes = ' in its first 256 KB'

const outsideAscii = /[^\0-\x7f]/

/** Without a setting case is ignored. */
const evaluateBody = (
  { assertionBodyOp: op, assertionBodyValue, assertionBodyCaseSensitive }: Assertions,
  content: Content,
): Evaluation => {
  if (op === null || content === null) return passed
  if ('unreadable' in content) return content.unreadable
  const { text, truncated, doubt, absence } = content
  const value = assertionBodyValue ?? ''
  const contains =
    assertionBodyCaseSensitive === true
      ? text.includes(value)
      : text.toLowerCase().includes(value.toLowerCase())
  if (contains && op === 'contains') return passed
  if (contains) return failed('body_mismatch', `body contains ${quote(value)}`)
  if (doubt !== null && outsideAscii.test(value)) {
    const reason = `${doubt.what}, so ${quote(value)} cannot be looked for`
    return op === 'contains' && !doubt.isOurs
      ? failed('body_unreadable', reason)
      : undecided('body_unreadable', reason)
  }
  if (op === 'contains') {
    const why = absence === null ? '' : `: ${absence}`
    return failed('body_mismatch', `body does not contain ${quote(value)}${truncated ? inFirstBytes : why}`)
  }
  if (!truncated) return passed
  const reason = `body does not contain ${quote(value)}${inFirstBytes}; the rest is not read`
  return undecided('body_cut', reason)
}

const evaluateJson = (
  { assertionJsonPath, assertionJsonOp: op, assertionJsonValue }: Assertions,
  content: Content,
  mask: Mask,
): Evaluation => {
  if (assertionJsonPath === null || content === null) return passed
  if ('unreadable' in content) return content.unreadable
  const { text, truncated, absence } = content
  if (truncated) return failed('json_too_large', 'body is larger than 256 KB, so its JSON is not read')
  const root = parseJson(text)
  if (!root.ok) return failed('json_invalid', `body is not JSON${absence === null ? '' : `: ${absence}`}`)
  const path = parseJsonPath(assertionJsonPath)
  if (!path.ok) throw new Error('an assignment with a JSON path that does not parse')
  const value = valueAt(root.value, path.parts)
  const name = `JSON path ${assertionJsonPath}`
  if (value === undefined) return failed('json_missing', `${name} does not exist`)
  if (op === 'exists') return passed
  const expected = assertionJsonValue ?? ''
  const holds = op === 'equals' ? equals(value, expected) : contains(value, expected)
  if (holds) return passed
  const relation = op === 'equals' ? 'equal' : 'contain'
  const got = describe(value, mask)
  return failed('json_mismatch', `expected ${name} to ${relation} ${quote(expected)}, got ${got}`)
}

/** Scalars are compared as text; a number also equals its other spellings (1.0, 1e0). */
const equals = (value: unknown, expected: string): boolean =>
  scalarText(value) === expected || (isNumber(value) && isNumberText(value, expected))

const contains = (value: unknown, expected: string): boolean =>
  Array.isArray(value)
    ? value.some((member) => equals(member, expected))
    : (scalarText(value)?.includes(expected) ?? false)

const scalarText = (value: unknown): string | null =>
  typeof value === 'string' || value instanceof ExactNumber
    ? String(value)
    : typeof value === 'object' && value !== null
      ? null
      : JSON.stringify(value)

const describe = (value: unknown, mask: Mask): string => {
  const text = scalarText(value)
  if (text !== null) return quote(text, mask)
  return Array.isArray(value) ? 'a list' : 'an object'
}
