import type { StepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import type { Headers } from '../request/outcome.ts'
import type { Mask } from '../secrets/mask.ts'
import { failed, passed, type Evaluation } from './evaluation.ts'
import { quote } from './quote.ts'

/** What a response header must contain (S-405). */
export type HeaderAssertion = { name: string; op: 'equals' | 'contains'; value: string }

/** A step's header assertion; null: none. */
export const headerAssertionOf = ({
  headerName,
  headerOp,
  headerValue,
}: StepAssertions): HeaderAssertion | null =>
  headerName === null || headerOp === null
    ? null
    : { name: headerName, op: headerOp, value: headerValue ?? '' }

/**
 * Header names ignore case (RFC 9110 5.1), values do not. Only Set-Cookie keeps repeated values
 * apart: one match is enough, and no value is shown.
 */
export const evaluateHeader = (
  { name, op, value }: HeaderAssertion,
  headers: Headers,
  mask: Mask,
): Evaluation => {
  const shown = name.toLowerCase()
  const found = Object.hasOwn(headers, shown) ? headers[shown] : undefined
  if (found === undefined) return failed('header_missing', `header ${shown} is missing`)
  const holds = (each: string): boolean => (op === 'equals' ? each === value : each.includes(value))
  if (typeof found === 'string' ? holds(found) : found.some(holds)) return passed
  const relation = op === 'equals' ? 'equal' : 'contain'
  const got = typeof found === 'string' ? quote(found, mask) : 'another value'
  return failed('header_mismatch', `expected header ${shown} to ${relation} ${quote(value)}, got ${got}`)
}
