import { expect, test } from 'vitest'
import { down, up } from './judgement.ts'
import { unlessOwnCertificate } from './own-certificate.ts'

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
