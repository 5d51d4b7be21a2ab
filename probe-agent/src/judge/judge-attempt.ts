import { assertionNames } from '@probe-mesh/contracts/assertions'
import type { Assertions } from '@probe-mesh/contracts/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/assignment'
import type { Reading } from '@probe-mesh/contracts/reading'
import type { Answer, Outcome } from '../request/outcome.ts'
import { bodyText } from './body-text.ts'
import { evaluateAssertions, readsBody } from './evaluate-assertions.ts'
import type { HeaderAssertion } from './evaluate-header.ts'
import { cutReason } from './cut-reason.ts'
import { headerEvidence, refusalEvidence } from './refusal-evidence.ts'
import type { Evidence } from './refusal-evidence.ts'

export type Judgement = Pick<Reading, 'verdict' | 'fault' | 'cause' | 'reason'>

/** What an answer is judged by: an http check's assertions, or those of a journey's step. */
export type Expected = Pick<HttpAssignment, 'assertions' | 'owner'> & {
  header?: HeaderAssertion | null
}

/** What a service answers to strangers that it does not want (specification: "the probe was refused"). */
const refusalStatuses: ReadonlySet<number> = new Set([401, 403, 407, 429, 451])

/** The least status whose page may tell a refusal from an outage. */
const evidenceStatusMin = 400

/** Whether the verdict on an answer with this status can depend on its body. */
export const needsBody = (assertions: Assertions, status: number): boolean =>
  readsBody(assertions) || status >= evidenceStatusMin

/**
 * The verdict on one attempt (architecture.md "Status, honestly"). What is our fault is unmeasured,
 * never down. Assertions that pass win over everything; otherwise evidence of a refusal makes it
 * blocked, which for a catalog service, where we are the stranger, includes a bare refusal.
 */
export const judgeAttempt = (
  outcome: Outcome,
  { assertions, owner, header = null }: Expected,
): Judgement => {
  if (!outcome.ok) {
    const { fault, cause, reason } = outcome
    return { verdict: fault === 'probe' ? 'unmeasured' : 'down', fault, cause, reason }
  }
  const evaluation = evaluateAssertions(assertions, outcome, header)
  if (evaluation.passed) {
    const explicit = header !== null || assertionNames.some((name) => assertions[name] !== null)
    const evidence = explicit ? null : headerEvidence(outcome.status, outcome.headers)
    return evidence === null ? up : blocked(evidence)
  }
  const evidence = evidenceOf(outcome)
  if (evidence !== null) return blocked(evidence)
  if (owner === 'catalog' && refusalStatuses.has(outcome.status)) {
    return blocked({ cause: 'refused', reason: `the probe was refused with ${outcome.status}` })
  }
  const reason = cutReason(evaluation.reason)
  return { verdict: 'down', fault: 'target', cause: evaluation.cause, reason }
}

const up: Judgement = { verdict: 'up', fault: 'none', cause: 'ok', reason: null }

const blocked = ({ cause, reason }: Omit<Evidence, 'cause'> & { cause: string }): Judgement => ({
  verdict: 'blocked',
  fault: 'target',
  cause,
  reason,
})

const evidenceOf = ({ status, headers, body }: Answer): Evidence | null =>
  body === null || body.undecoded !== null
    ? headerEvidence(status, headers)
    : refusalEvidence(status, headers, bodyText(body, headers))
