import { assertionNames } from '@probe-mesh/contracts/assertions'
import type { Assertions } from '@probe-mesh/contracts/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/assignment'
import type { RefusedAs } from '@probe-mesh/contracts/check-timeout'
import type { Answer, Outcome } from '../request/outcome.ts'
import { bodyText } from './body-text.ts'
import { evaluateAssertions, readsBody } from './evaluate-assertions.ts'
import type { HeaderAssertion } from './evaluate-header.ts'
import { bareRefusal, blocked, down, judgeFailure, ownRefusal, up } from './judgement.ts'
import type { Judgement } from './judgement.ts'
import { headerEvidence, refusalEvidence } from './refusal-evidence.ts'
import type { Evidence } from './refusal-evidence.ts'

/** What an answer is judged by: an http check's assertions, or those of a journey's step. */
export type Expected = Pick<HttpAssignment, 'assertions' | 'owner'> & {
  header?: HeaderAssertion | null
  /** What a bare 403 or 429 of an own http check means; a journey's step has no choice. */
  refusedAs?: RefusedAs | null
}

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
  { assertions, owner, header = null, refusedAs = null }: Expected,
): Judgement => {
  if (!outcome.ok) return judgeFailure(outcome)
  const evaluation = evaluateAssertions(assertions, outcome, header)
  if (evaluation.passed) {
    const explicit = header !== null || assertionNames.some((name) => assertions[name] !== null)
    const evidence = explicit ? null : headerEvidence(outcome.status, outcome.headers)
    return evidence === null ? up : blocked(evidence)
  }
  const evidence = evidenceOf(outcome)
  if (evidence !== null) return blocked(evidence)
  const isRefusal = evaluation.cause === 'status_mismatch' && refusedAs !== null
  return (
    bareRefusal(outcome.status, owner) ??
    (isRefusal ? ownRefusal(outcome.status, refusedAs) : null) ??
    down(evaluation.cause, evaluation.reason)
  )
}

const evidenceOf = ({ status, headers, body }: Answer): Evidence | null =>
  body === null || body.undecoded !== null
    ? headerEvidence(status, headers)
    : refusalEvidence(status, headers, bodyText(body, headers))
