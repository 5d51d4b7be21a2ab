import { validityOf } from '@probe-mesh/contracts/check/client-certificate'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { judgeFailure, type Judgement } from '../judge/judgement.ts'
import type { Failure } from '../request/outcome.ts'

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export const clientNotValid = (when: string): Failure => ({
  cause: 'client_certificate_not_valid',
  fault: 'probe',
  reason: `the client certificate of the check ${when}; replace it`,
})

/** Why the client certificate of a request is not valid at an instant; null: it is valid, or there is none. */
export const clientProblem = ({ clientCertificate }: HttpRequest, nowMs: number): Failure | null => {
  const validity = clientCertificate === undefined ? null : validityOf(clientCertificate.certificate)
  if (validity === null) return null
  if (nowMs > validity.to) return clientNotValid(`expired on ${dayOf(validity.to)}`)
  return nowMs < validity.from ? clientNotValid(`is valid from ${dayOf(validity.from)} on`) : null
}

/** By these a server refuses a certificate: an alert, a closed connection, or nginx's own statuses. */
const causes: ReadonlySet<string> = new Set([
  'client_certificate',
  'tls_failed',
  'connection_closed',
  'connection_reset',
])
const statuses: ReadonlySet<number> = new Set([400, 401, 403, 495, 496])

/**
 * A refusal of a check whose client certificate is not valid is the check's own fault: the target was not measured
 * (S-3880). A server that accepts it was measured, and so was one that fails in another way.
 */
export const unlessOwnCertificate = (
  judgement: Judgement,
  httpStatus: number | null,
  problem: Failure | null,
): Judgement => {
  const isRefusal = causes.has(judgement.cause) || (httpStatus !== null && statuses.has(httpStatus))
  return problem !== null && judgement.verdict !== 'up' && isRefusal ? judgeFailure(problem) : judgement
}
