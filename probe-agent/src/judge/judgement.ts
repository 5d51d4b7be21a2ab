import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { RefusedAs } from '@probe-mesh/contracts/check/check-timeout'
import { pageChangedCause } from '@probe-mesh/contracts/reading/reading'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Failure } from '../request/outcome.ts'
import { cutReason } from './cut-reason.ts'

export type Judgement = Pick<Reading, 'verdict' | 'fault' | 'cause' | 'reason'>

export const up: Judgement = { verdict: 'up', fault: 'none', cause: 'ok', reason: null }

/** The target is not as it was to be. */
export const down = (cause: string, reason: string): Judgement => ({
  verdict: 'down',
  fault: 'target',
  cause,
  reason: cutReason(reason),
})

/** The probe was refused, which says nothing about whether the target works. */
export const blocked = ({ cause, reason }: { cause: string; reason: string }): Judgement => ({
  verdict: 'blocked',
  fault: 'target',
  cause,
  reason,
})

/**
 * A catalog service answered 2xx with other content than the catalog expects: most often the page was
 * written anew, so that the expectation is at fault, and whether the service works was not measured.
 */
export const pageChanged = (reason: string): Judgement => ({
  verdict: 'unmeasured',
  fault: 'probe',
  cause: pageChangedCause,
  reason: cutReason(`the page changed: ${reason}`),
})

/** An attempt that came to no answer: what is our fault is unmeasured, never down. */
export const judgeFailure = ({ fault, cause, reason }: Failure): Judgement => ({
  verdict: fault === 'probe' ? 'unmeasured' : 'down',
  fault,
  cause,
  reason: cutReason(reason),
})

/** What a service answers to strangers that it does not want (S-803). */
const refusalStatuses: ReadonlySet<number> = new Set([401, 403, 406, 407, 418, 420, 429, 451, 999])

/**
 * A bare refusal by a catalog service, where we are the stranger; null for any other answer, and for
 * an account's own target, whose outage it is.
 */
export const bareRefusal = (status: number, owner: Assignment['owner']): Judgement | null =>
  owner === 'catalog' && refusalStatuses.has(status)
    ? blocked({ cause: 'refused', reason: `the probe was refused with ${status}` })
    : null

/** What an own target may answer to a probe that it does not know, or that comes too often. */
const ownRefusals: Readonly<Record<number, string>> = {
  403: 'allow the User-Agent ProbeMesh there',
  429: 'allow the User-Agent ProbeMesh there, or lengthen the interval',
}

/**
 * A bare 403 or 429 of an account's own target that no assertion asked for: down, or blocked where its owner chose
 * so. Null for any other answer.
 */
export const ownRefusal = (status: number, refusedAs: RefusedAs): Judgement | null => {
  const remedy = ownRefusals[status]
  if (remedy === undefined) return null
  return refusedAs === 'blocked'
    ? blocked({ cause: 'refused', reason: `the probe was refused with ${status}` })
    : down(
        'refused',
        `the target refused our probe with ${status}: ${remedy}, or let the check count it as blocked`,
      )
}
