import { parseJsonPath } from '@probe-mesh/contracts/check/json-path'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isStorable } from '@probe-mesh/contracts/schema/storable-text'

/**
 * A condition in terms of assertions. `none` has no equivalent, so the check asserts less;
 * `contrary` would make the check test something else.
 */
export type Condition =
  | { kind: 'status'; accepts: (status: number) => boolean }
  | { kind: 'body'; op: 'contains' | 'not_contains'; value: string; remark: string | null }
  | JsonCondition
  | { kind: 'connected' }
  | { kind: 'none'; message: string }
  | { kind: 'contrary'; message: string }
type JsonCondition = { kind: 'json'; path: string; remark: string | null } & (
  | { op: 'exists' }
  | { op: 'equals' | 'contains'; value: string }
)

type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>'
type Comparison = { left: string; operator: Operator; right: string }

const operators: readonly Operator[] = ['==', '!=', '<=', '>=', '>', '<']
const mirrored: Record<Operator, Operator> = {
  '==': '==',
  '!=': '!=',
  '<=': '>=',
  '>=': '<=',
  '<': '>',
  '>': '<',
}
const placeholder = /^(?:(?:len|has)\()?\[[A-Z_]+\]/i

const none = (message: string): Condition => ({ kind: 'none', message })
const contrary = (message: string): Condition => ({ kind: 'contrary', message })

/** Reads one condition of an endpoint. */
export const parseCondition = (text: string): Condition => {
  const comparison = comparisonOf(text)
  if (comparison === null) return contrary('is not a condition')
  const { left, operator, right } = comparison
  const name = left.toUpperCase()
  if (placeholder.test(right)) {
    return name === '[STATUS]'
      ? contrary('compares the status with another value of the response')
      : none('two values of a response cannot be compared')
  }
  if (name === '[STATUS]') return statusCondition(operator, right)
  if (name === '[CONNECTED]') return connectedCondition(operator, right)
  if (name === '[RESPONSE_TIME]') return none('a slow response is not down here')
  if (name.endsWith('_EXPIRATION]')) return none('http checks do not report expiry')
  if (name === '[BODY]') return bodyCondition(operator, right)
  if (/^has\(\[BODY\][.[].*\)$/i.test(left)) return hasCondition(left, operator, right)
  if (/^\[BODY\][.[]/i.test(left)) return jsonCondition(left, operator, right)
  return none('has no equivalent in an http check')
}

/** Operators have spaces around them; the first known operator splits the text. */
const comparisonOf = (text: string): Comparison | null => {
  const operator = operators.find((candidate) => text.includes(` ${candidate} `))
  if (operator === undefined) return null
  const parts = text.split(` ${operator} `)
  const [left, right] = [(parts[0] ?? '').trim(), (parts[1] ?? '').trim()]
  if (parts.length !== 2) return null
  return placeholder.test(right) && !placeholder.test(left)
    ? { left: right, operator: mirrored[operator], right: left }
    : { left, operator, right }
}

const statusCondition = (operator: Operator, right: string): Condition => {
  const isEquality = operator === '==' || operator === '!='
  const matches = isEquality ? statusMatch(right) : null
  if (matches !== null) {
    return { kind: 'status', accepts: (status) => matches(status) === (operator === '==') }
  }
  if (isEquality || !/^\d{1,6}$/.test(right)) return contrary('is not a comparison with a status')
  const bound = Number(right)
  const holds: Record<Exclude<Operator, '==' | '!='>, (status: number) => boolean> = {
    '<': (status) => status < bound,
    '<=': (status) => status <= bound,
    '>': (status) => status > bound,
    '>=': (status) => status >= bound,
  }
  return { kind: 'status', accepts: holds[operator] }
}

/** One status, `any(200, 429)`, or a pattern of digits such as `pat(2*)`. */
const statusMatch = (right: string): ((status: number) => boolean) | null => {
  const pattern = /^pat\((\d{0,3})(\*|\?{1,3})\)$/.exec(right)
  if (pattern !== null) {
    const [, digits = '', rest = ''] = pattern
    if (rest !== '*' && digits.length + rest.length !== 3) return () => false
    return (status) => String(status).startsWith(digits)
  }
  const list = /^any\((.*)\)$/.exec(right)?.[1]?.split(',') ?? [right]
  const statuses = list.map((entry) => entry.trim())
  if (!statuses.every((entry) => /^[1-9]\d{0,5}$/.test(entry))) return null
  return (status) => statuses.includes(String(status))
}

const connectedCondition = (operator: Operator, right: string): Condition =>
  (operator === '==' && right === 'true') || (operator === '!=' && right === 'false')
    ? { kind: 'connected' }
    : contrary('is healthy without a connection: checks cannot express this')

/** Gatus removes slashes from a pattern and from the compared text. */
const slashRemark = 'slashes count here'

/** The text of `pat(*text*)`, if it contains no wildcard. */
const insideOf = (right: string): { value: string; remark: string | null } | null => {
  const value = /^pat\(\*([^*?[\\]+)\*\)$/su.exec(right)?.[1]
  if (value === undefined) return null
  return { value, remark: value.includes('/') ? slashRemark : null }
}

const bodyCondition = (operator: Operator, right: string): Condition => {
  const inside = insideOf(right)
  if (inside !== null && operator === '==') return { kind: 'body', op: 'contains', ...inside }
  if (inside !== null && operator === '!=') return { kind: 'body', op: 'not_contains', ...inside }
  return none('body assertions support only contains and not contains')
}

/** The path for an assertion, or null if it means something else there. */
const pathOf = (left: string): string | null => {
  const path = left.slice('[BODY]'.length).replace(/^\./, '')
  if (path.length > limits.jsonPathCharactersMax || /^\$|["']/.test(path)) return null
  return isStorable(path) && parseJsonPath(path).ok ? path : null
}

const notPlain = none('its path has more than plain keys and indexes')

const hasCondition = (left: string, operator: Operator, right: string): Condition => {
  const path = pathOf(left.slice('has('.length, -1))
  if (path === null) return notPlain
  const holds = (operator === '==' && right === 'true') || (operator === '!=' && right === 'false')
  if (!holds) return none('the absence of a path cannot be asserted')
  return { kind: 'json', path, op: 'exists', remark: 'null exists here' }
}

const jsonCondition = (left: string, operator: Operator, right: string): Condition => {
  const path = pathOf(left)
  if (path === null) return notPlain
  if (operator !== '==') return none('JSON assertions support only equals, contains and exists')
  const inside = insideOf(right)
  if (inside !== null) {
    const remark = ['a list is searched member by member here', inside.remark ?? []].flat().join('; ')
    return { kind: 'json', path, op: 'contains', value: inside.value, remark }
  }
  if (/^(?:pat|any)\(.*\)$/s.test(right)) {
    const single = /^any\(([^,]*)\)$/s.exec(right)?.[1]
    if (single === undefined) return none('a JSON path can equal one value only')
    return { kind: 'json', path, op: 'equals', value: single.trim(), remark: null }
  }
  if (/^[[{]|^map\[/.test(right)) return none('lists and maps cannot be compared')
  return { kind: 'json', path, op: 'equals', value: right, remark: null }
}
