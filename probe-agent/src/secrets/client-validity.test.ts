import { afterAll, expect, test } from 'vitest'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { down, up } from '../judge/judgement.ts'
import { createCertificates } from '../request/testing/certificates.ts'
import { clientProblem, unlessOwnCertificate } from './client-validity.ts'

const certificates = useOnce(() => createCertificates())
afterAll(() => certificates.remove())
const july = { from: '20260701000000Z', to: '20260702000000Z' }
const nowMs = Date.parse('2026-11-20T12:00:00Z')
const problemOf = (validity: typeof july | null, atMs = nowMs): string | undefined => {
  const { cert: certificate } = certificates.leaf('client', validity)
  return clientProblem({ clientCertificate: { certificate, key: '' } }, atMs)?.reason
}

test('says when a client certificate expired or begins', () => {
  expect(problemOf(july)).toBe('the client certificate of the check expired on 2026-07-02; replace it')
  expect(problemOf(july, 0)).toBe(
    'the client certificate of the check is valid from 2026-07-01 on; replace it',
  )
  expect(problemOf(july, Date.parse('2026-07-01T12:00:00Z'))).toBeUndefined()
  expect(clientProblem({}, nowMs)).toBeNull()
})

const problem = { cause: 'client_certificate_not_valid', fault: 'probe', reason: 'it expired' } as const
test.each<[cause: string, status: number | null, verdict: string]>([
  ['client_certificate', null, 'unmeasured'],
  ['tls_failed', null, 'unmeasured'],
  ['connection_closed', null, 'unmeasured'],
  ['connection_reset', null, 'unmeasured'],
  ['status_mismatch', 400, 'unmeasured'],
  ['status_mismatch', 401, 'unmeasured'],
  ['status_mismatch', 403, 'unmeasured'],
  ['status_mismatch', 495, 'unmeasured'],
  ['status_mismatch', 496, 'unmeasured'],
  ['status_mismatch', 500, 'down'],
  ['body_mismatch', 200, 'down'],
  ['connection_refused', null, 'down'],
  ['certificate_expired', null, 'down'],
  ['response_timeout', null, 'down'],
])(
  'with a client certificate that expired %s %s is %s, and down with a valid one',
  (cause, status, verdict) => {
    const judged = down(cause, 'x')
    expect(unlessOwnCertificate(judged, status, problem).verdict).toBe(verdict)
    expect(unlessOwnCertificate(judged, status, null)).toBe(judged)
    expect(unlessOwnCertificate(up, status, problem)).toBe(up)
  },
)
