import { validityOf } from '@probe-mesh/contracts/check/client-certificate'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
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
