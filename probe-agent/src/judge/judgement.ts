import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { RefusedAs } from '@probe-mesh/contracts/check/check-timeout'
import { pageChangedCause, type Reading } from '@probe-mesh/contracts/reading/reading'
import type { Failure } from '../request/outcome.ts'
import { cutReason } from './cut-reason.ts'

export type Judgement = Pick<Reading, 'verdict' | 'fault' | 'cause' | 'reason'>

export const up: Judgement = { verdict: 'up', fault: 'none', cause: 'ok', reason: null }

/** The target does not meet its expectations. */
export const down = (cause: string, reason: string): Judgement => ({
  verdict: 'down',
  fault: 'target',
  cause,
  reason: cutReason(reason),
})

/** The target refused the probe, which does not show whether it works. */
export const blocked = ({ cause, reason }: { cause: string; reason: string }): Judgement => ({
  verdict: 'blocked',
  fault: 'target',
  cause,
  reason,
})

/**
 * A catalog service answered 2xx with content that the catalog does not expect. Usually the page
 * was redesigned: the expectation is wrong, and the service was not measured.
 */
export const pageChanged = (reason: string): Judgement => ({
  verdict: 'unmeasured',
  fault: 'probe',
  cause: pageChangedCause,
  reason: cutReason(`the page changed: ${reason}`),
})

/** What the probe reads of an answer does not decide an assertion: the target was not measured (S-360). */
export const notDecided = (cause: string, reason: string): Judgement => ({
  verdict: 'unmeasured',
  fault: 'probe',
  cause,
  reason: cutReason(reason),
})

/** An attempt without an answer: a fault of the probe is unmeasured, never down. */
export const judgeFailure = ({ fault, cause, reason }: Failure): Judgement => ({
  verdict: fault === 'probe' ? 'unmeasured' : 'down',
  fault,
  cause,
  reason: cutReason(reason),
})

/** Statuses by which services refuse unknown clients (S-803). */
const refusalStatuses: ReadonlySet<number> = new Set([401, 403, 406, 407, 418, 420, 429, 451, 999])

/**
 * A bare refusal by a catalog service; null for any other answer, and for an account's own target,
 * for which it is an outage.
 */
export const bareRefusal = (status: number, owner: Assignment['owner']): Judgement | null =>
  owner === 'catalog' && refusalStatuses.has(status)
    ? blocked({ cause: 'refused', reason: `the probe was refused with ${status}` })
    : null

/** Statuses by which an own target refuses an unknown or too frequent probe, and the remedy. */
const ownRefusals: Readonly<Record<number, string>> = {
  403: 'allow the User-Agent ProbeMesh there',
  429: 'allow the User-Agent ProbeMesh there, or lengthen the interval',
}

/**
 * A bare 403 or 429 of an account's own target that no assertion expects: down, or blocked if the
 * owner chose that. Null for any other answer.
 */
export const ownRefusal = (status: number, refusedAs: RefusedAs): Judgement | null => {
  const remedy = ownRefusals[status]
  if (remedy === undefined) return null
  return refusedAs === 'blocked'
    ? blocked({ cause: 'refused', reason: `the probe was refused with ${status}` })
    : down(
        'refused',
        `the target refused the probe with ${status}: ${remedy}, or count it as blocked in the check`,
      )
}
