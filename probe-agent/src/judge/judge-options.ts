import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { daysLeftOf } from '@probe-mesh/contracts/reading/certificate'
import { durationText } from '../request/failure.ts'
import { isRedirectStatus, locationText } from '../request/redirect.ts'
import type { Outcome } from '../request/outcome.ts'
import { down, type Judgement } from './judgement.ts'
import type { Mask } from '../secrets/mask.ts'
import { quote } from './quote.ts'

/** What a request expects besides its assertions. */
type Wanted = Pick<RequestOptions, 'redirects' | 'redirectsTo' | 'latencyMsMax' | 'certificateDaysMin'>

/** Whether the answer is judged even when it redirects. */
export const keepsRedirect = ({ redirects, redirectsTo }: Wanted): boolean =>
  redirects === 'never' || redirectsTo !== undefined

/** An expected redirect needs no assertion about its status. */
export const assertionsWith = (assertions: Assertions, { redirectsTo }: Wanted): Assertions =>
  redirectsTo === undefined || hasStatus(assertions)
    ? assertions
    : { ...assertions, assertionStatusMin: 300, assertionStatusMax: 399 }

const hasStatus = ({ assertionStatusMin, assertionStatusMax }: Assertions): boolean =>
  assertionStatusMin !== null || assertionStatusMax !== null

type Asked = { url: string; now: number; mask: Mask; assertions: Assertions }

/**
 * The verdict with all expectations of a request, in the order assertions, redirect, time, certificate: the first
 * that fails is the reason.
 * @param judged by the assertions of `assertionsWith`
 * @param asked the assertions are those of the check
 */
export const judgeOptions = (
  judged: Judgement,
  outcome: Outcome,
  wanted: Wanted,
  asked: Asked,
): Judgement => {
  if (!outcome.ok) return judged
  const isOurStatus = judged.cause === 'status_mismatch' && !hasStatus(asked.assertions)
  if (judged.verdict !== 'up' && !(isOurStatus && wanted.redirectsTo !== undefined)) return judged
  return (
    redirectProblem(outcome, wanted, asked) ??
    timeProblem(outcome, wanted) ??
    certificateProblem(outcome, wanted, asked) ??
    judged
  )
}

type Answered = Extract<Outcome, { ok: true }>

const redirectProblem = (
  { status, headers }: Answered,
  { redirectsTo }: Wanted,
  { url, mask }: Asked,
): Judgement | null => {
  if (redirectsTo === undefined) return null
  const expected = URL.parse(redirectsTo, url)?.href ?? redirectsTo
  const wish = `expected a redirect to ${quote(expected)}`
  const { location } = headers
  if (!isRedirectStatus(status) || !location) return down('redirect_missing', `${wish}, got status ${status}`)
  const found = URL.parse(locationText(location), url)?.href ?? location
  return found === expected ? null : down('redirect_mismatch', `${wish}, got ${quote(found, mask)}`)
}

const timeProblem = ({ latencyMs }: Answered, { latencyMsMax }: Wanted): Judgement | null =>
  latencyMsMax === undefined || latencyMs <= latencyMsMax
    ? null
    : down(
        tooSlowCause,
        `the answer took ${durationText(latencyMs)}, longer than the limit of ${durationText(latencyMsMax)}`,
      )

/** The probe's own delays may cause it. */
export const tooSlowCause = 'answer_slow'

/** The certificate of an up reading ends too soon; null: not, or nothing is asked. */
export const certificateProblem = (
  { certificateExpiresAt }: { certificateExpiresAt: number | null },
  { certificateDaysMin }: Pick<Wanted, 'certificateDaysMin'>,
  { now }: { now: number },
): Judgement | null => {
  if (certificateDaysMin === undefined) return null
  const limit = `the limit is ${certificateDaysMin} ${daysText(certificateDaysMin)}`
  if (certificateExpiresAt === null) return down('no_certificate', `the answer came without TLS; ${limit}`)
  const days = Math.max(0, daysLeftOf(certificateExpiresAt, now))
  return days >= certificateDaysMin
    ? null
    : down('expires_soon', `the certificate expires in ${days} ${daysText(days)}; ${limit}`)
}

const daysText = (days: number): string => (days === 1 ? 'day' : 'days')
