import { assertionNames, type Assertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { RefusedAs } from '@probe-mesh/contracts/check/check-timeout'
import type { Answer, Headers, Outcome } from '../request/outcome.ts'
import type { Mask } from '../secrets/mask.ts'
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
  notDecided,
  ownRefusal,
  pageChanged,
  up,
  type Judgement,
} from './judgement.ts'
import { headerEvidence, mayBeChallenge, refusalEvidence } from './refusal-evidence.ts'

/** The expectations for an answer: the assertions of an http check or of a journey's step. */
export type Expected = Pick<HttpAssignment, 'assertions' | 'owner'> & {
  header?: HeaderAssertion | null
  /** The meaning of a bare 403 or 429 of the account's own target; a journey's step has no such setting. */
  refusedAs?: RefusedAs | null
  /** For what reasons quote of the answer; absent: the request has no secrets. */
  mask?: Mask | undefined
}

/** From this status on, the page may distinguish a refusal from an outage. */
const evidenceStatusMin = 400

/**
 * Whether the verdict for this status and these headers can depend on the body. The page of a
 * catalog service is always checked, since no owner defines its content.
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
 * The verdict on one attempt (S-801 to S-817). A fault of the probe is unmeasured, never down.
 * Assertions that pass win; otherwise evidence of a refusal makes it blocked. For a catalog service
 * a bare refusal is evidence, too.
 */
export const judgeAttempt = (
  outcome: Outcome,
  { assertions, owner, header = null, refusedAs = null, mask }: Expected,
): Judgement => {
  if (!outcome.ok) return judgeFailure(outcome)
  const evaluation = evaluateAssertions(assertions, outcome, header, mask)
  if (evaluation.passed) {
    const decided = header !== null || isDecidedBy(assertions, owner)
    return decided ? up : (foreignAnswer(outcome, owner) ?? up)
  }
  const strange = foreignAnswer(outcome, owner)
  if (strange !== null) return strange
  const { cause, reason } = evaluation
  if (!evaluation.isJudged) return notDecided(cause, reason)
  if (owner === 'catalog' && isSuccess(outcome.status) && isOfContent(cause)) return pageChanged(reason)
  const isRefusal = cause === 'status_mismatch' && refusedAs !== null
  return (
    bareRefusal(outcome.status, owner) ??
    (isRefusal ? ownRefusal(outcome.status, refusedAs) : null) ??
    down(cause, reason)
  )
}

/**
 * Whether passed assertions are enough: those of an owner are. The status of a catalog service is
 * not, since a challenge may have the same.
 */
const isDecidedBy = (assertions: Assertions, owner: Expected['owner']): boolean =>
  owner === 'catalog' ? readsBody(assertions) : assertionNames.some((name) => assertions[name] !== null)

/** Recognizes an answer that is not the target's own; null: no sign of that. */
const foreignAnswer = (answer: Answer, owner: Expected['owner']): Judgement | null => {
  const { status, headers, body } = answer
  const text = body === null || body.undecoded !== null ? null : bodyText(body, headers)
  const evidence = text === null ? headerEvidence(status, headers) : refusalEvidence(status, headers, text)
  if (evidence !== null) return blocked(evidence)
  if (owner !== 'catalog' || text === null || !isSuccess(status)) return null
  const page = falsePageOf(headers, text)
  return page === null ? null : down(page.cause, page.reason)
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299
