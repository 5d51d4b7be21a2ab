import { assertionNames } from '@probe-mesh/contracts/check/assertions'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { RefusedAs } from '@probe-mesh/contracts/check/check-timeout'
import type { Answer, Headers, Outcome } from '../request/outcome.ts'
import { bodyText } from './body-text.ts'
import { evaluateAssertions, readsBody } from './evaluate-assertions.ts'
import type { HeaderAssertion } from './evaluate-header.ts'
import { isOfContent } from './evaluation.ts'
import { falsePageOf } from './false-page.ts'
import {
  bareRefusal,
  blocked,
  down,
  judgeFailure,
  ownRefusal,
  pageChanged,
  up,
} from './judgement.ts'
import type { Judgement } from './judgement.ts'
import { headerEvidence, mayBeChallenge, refusalEvidence } from './refusal-evidence.ts'

/** What an answer is judged by: an http check's assertions, or those of a journey's step. */
export type Expected = Pick<HttpAssignment, 'assertions' | 'owner'> & {
  header?: HeaderAssertion | null
  /** What a bare 403 or 429 of an own http check means; a journey's step has no choice. */
  refusedAs?: RefusedAs | null
}

/** The least status whose page may tell a refusal from an outage. */
const evidenceStatusMin = 400

/**
 * Whether the verdict on an answer with this status and these headers can depend on its body. Of a
 * catalog service every page is looked at, since nobody else says what it should hold.
 */
export const needsBody = (
  assertions: Assertions,
  status: number,
  { headers, owner }: { headers: Headers; owner: Expected['owner'] },
): boolean =>
  readsBody(assertions) ||
  status >= evidenceStatusMin ||
  owner === 'catalog' ||
  mayBeChallenge(status, headers)

/**
 * The verdict on one attempt (S-801 to S-817). What is our fault is unmeasured,
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
    const decided = header !== null || isDecidedBy(assertions, owner)
    return decided ? up : (strangeIn(outcome, owner) ?? up)
  }
  const strange = strangeIn(outcome, owner)
  if (strange !== null) return strange
  const { cause, reason } = evaluation
  if (owner === 'catalog' && isWell(outcome.status) && isOfContent(cause))
    return pageChanged(reason)
  const isRefusal = cause === 'status_mismatch' && refusedAs !== null
  return (
    bareRefusal(outcome.status, owner) ??
    (isRefusal ? ownRefusal(outcome.status, refusedAs) : null) ??
    down(cause, reason)
  )
}

/**
 * Whether passed assertions say enough: those of an owner do. A catalog service's status alone does
 * not, since a challenge may have it too.
 */
const isDecidedBy = (assertions: Assertions, owner: Expected['owner']): boolean =>
  owner === 'catalog'
    ? readsBody(assertions)
    : assertionNames.some((name) => assertions[name] !== null)

/** What an answer shows itself to be instead of the target's own; null where it shows nothing. */
const strangeIn = (answer: Answer, owner: Expected['owner']): Judgement | null => {
  const { status, headers, body } = answer
  const text = body === null || body.undecoded !== null ? null : bodyText(body, headers)
  const evidence =
    text === null ? headerEvidence(status, headers) : refusalEvidence(status, headers, text)
  if (evidence !== null) return blocked(evidence)
  if (owner !== 'catalog' || text === null || !isWell(status)) return null
  const page = falsePageOf(headers, text)
  return page === null ? null : down(page.cause, page.reason)
}

const isWell = (status: number): boolean => status >= 200 && status <= 299
