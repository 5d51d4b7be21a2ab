import type { Failure } from '../request/outcome.ts'
import { judgeFailure, type Judgement } from './judgement.ts'

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
