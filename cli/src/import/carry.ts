import { allowNothing, anyOperator } from '@probe-mesh/contracts/target/address'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isStorable } from '@probe-mesh/contracts/schema/storable-text'
import { targetProblem } from '@probe-mesh/contracts/target/target'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { note, quoted, share, skip, type Draft } from './draft.ts'

/** @returns why a text cannot be the value of an assertion, or null */
const assertionProblem = (value: string, isEmptyAllowed = false): string | null => {
  if (value === '' && !isEmptyAllowed) return 'the text to search for is empty'
  if (value.length > limits.assertionValueCharactersMax) {
    return `the text is longer than ${limits.assertionValueCharactersMax} characters`
  }
  return isStorable(value) ? null : 'the text contains NUL or half of a surrogate pair'
}

/** The text without characters that cannot be stored. */
export const storable = (text: string): string => text.replaceAll('\u0000', '').toWellFormed()

/**
 * Applies the API's URL rules, because `apply` stops at the first refused URL. A URL that some
 * operator may allow is imported with a note.
 */
export const carryUrl = (draft: Draft, field: string): void => {
  draft.url = draft.url.trim()
  if (draft.url === '') return skip(draft, field, 'is missing')
  if (!isStorable(draft.url)) return skip(draft, field, 'contains NUL or half of a surrogate pair')
  const problem = targetProblem(draft.url, { allow: allowNothing })
  if (problem === null) return
  const closed = targetProblem(draft.url, { allow: anyOperator })
  if (closed !== null) return skip(draft, field, closed.message)
  note(draft, field, `is refused unless the operator allows the address: ${problem.message}`)
}

const { growth, scale } = tiersDefault

/**
 * Imports the interval. An interval that a plan refuses is imported as it is: limits differ, and
 * operators change them.
 * @param seconds may have a fraction
 */
export const carryInterval = (draft: Draft, field: string, seconds: number): void => {
  const whole = Math.min(Math.max(Math.ceil(seconds), 1), limits.intervalSecondsMax)
  draft.fields.intervalSeconds = whole
  if (whole !== seconds) note(draft, field, `is ${seconds} seconds there, ${whole} here`)
  if (whole < scale.intervalSecondsMin) {
    return note(draft, field, `no plan allows less than ${scale.intervalSecondsMin} seconds`)
  }
  if (whole < growth.intervalSecondsMin) {
    note(draft, field, `less than ${growth.intervalSecondsMin} seconds needs the Scale plan`)
  }
}

/** Noted for every assertion on the body. */
const bodyRead = `the first ${limits.bodyBytesMax / 1024} KB of a body are read here`

/** Headers that decide what a response means: without them a check would test something else. */
const telling = /^host$|auth|cookie|token|key|secret|session|credential|signature/i

/** An http check sends GET: another method is another request. */
export const carryMethod = (draft: Draft, field: string, method: string): void => {
  const name = method.trim().toUpperCase()
  if (name === '' || name === 'GET') return
  if (name === 'HEAD') return note(draft, field, 'GET is sent here, not HEAD')
  const instead = 'create it in the dashboard as a multistep check, whose steps have methods'
  skip(draft, field, `is ${quoted(name)}, and http checks send GET: ${instead}`)
}

/** Names only, because header values may be secrets. */
export const carryHeaders = (draft: Draft, field: string, names: readonly string[]): void => {
  if (names.length === 0) return
  const list = names.map(quoted).join(', ')
  if (names.some((name) => telling.test(name))) {
    return skip(draft, field, `sends ${list}: http checks send no custom headers`)
  }
  note(draft, field, `${list} is not sent here: http checks send no custom headers`)
}

export const carryBody = (draft: Draft, field: string, body: string): void => {
  if (body.trim() !== '') note(draft, field, 'no body is sent here')
}

export const carryAuthentication = (draft: Draft, field: string, method: string): void =>
  skip(draft, field, `authenticates with ${quoted(method)}: http checks send no credentials`)

export const carryTrust = (draft: Draft, field: string): void =>
  note(draft, field, 'certificates are verified here: an untrusted one is down')

/** Literal text that the body contains or not; a check has one such assertion. */
export const assertBody = (
  draft: Draft,
  field: string,
  { op, value }: { op: 'contains' | 'not_contains'; value: string },
): void => {
  if (draft.fields.assertionBodyOp !== undefined) {
    return note(draft, field, `${quoted(value)} is not searched here: a check has one body assertion`)
  }
  const problem = assertionProblem(value)
  if (problem !== null) return skip(draft, field, problem)
  draft.fields.assertionBodyOp = op
  draft.fields.assertionBodyValue = value
  draft.fields.assertionBodyCaseSensitive = true
  share(draft, 'body', bodyRead)
}

/** A number in an unusual spelling, or null, which equals its own text here. */
const otherwise = /^[-+]?0[xob]?[\da-f_]+$|^[-+]?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?$|^null$/i

/**
 * Asserts a value in a JSON body; a check has one such assertion.
 * @param path one that `parseJsonPath` accepts
 * @returns why it cannot be asserted, or null
 */
export const assertJson = (
  draft: Draft,
  field: string,
  json: { path: string } & ({ op: 'exists' } | { op: 'equals' | 'contains'; value: string }),
): string | null => {
  if (draft.fields.assertionJsonPath !== undefined) return 'a check has one JSON assertion'
  if (json.op !== 'exists') {
    const problem = assertionProblem(json.value, true)
    if (problem !== null) return problem
    if (otherwise.test(json.value) && String(Number(json.value)) !== json.value) {
      note(draft, field, 'numbers are compared by value here, and null equals the text null')
    }
    draft.fields.assertionJsonValue = json.value
  }
  draft.fields.assertionJsonPath = json.path
  draft.fields.assertionJsonOp = json.op
  share(draft, 'body', bodyRead)
  return null
}
