import { describe, expect, test } from 'vitest'
import { deadlineFailure, failureOf, type Phase } from './failure.ts'

const phases: Phase[] = ['dns', 'connect', 'tls', 'ttfb', 'transfer']
const away = { local: false }

describe('whose fault an error is', () => {
  test.each([
    'EMFILE',
    'ENFILE',
    'ENOMEM',
    'ENOBUFS',
    'EADDRNOTAVAIL',
    'ENETDOWN',
    'ENETUNREACH',
    'EHOSTUNREACH',
    'EACCES',
    'EPERM',
    'EINVAL',
    'OUT_OF_MEM',
    'ENEWANDUNKNOWN',
    '',
  ])('%j is the probe’s, in every phase', (code) => {
    for (const phase of phases) {
      expect(failureOf(phase, code, away).fault).toBe('probe')
    }
  })

  test.each([
    ['connect', 'ECONNREFUSED', 'connection_refused'],
    ['connect', 'ETIMEDOUT', 'connect_timeout'],
    ['connect', 'ECONNRESET', 'connection_reset'],
    ['tls', 'ECONNRESET', 'connection_reset'],
    ['tls', 'CERT_HAS_EXPIRED', 'certificate_expired'],
    ['tls', 'CERT_SIGNATURE_FAILURE', 'certificate_invalid'],
    ['tls', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_failed'],
    ['tls', 'EPROTO', 'tls_failed'],
    ['ttfb', 'EPIPE', 'connection_reset'],
    ['ttfb', 'HPE_HEADER_OVERFLOW', 'headers_too_large'],
    ['ttfb', 'HPE_ANYTHING', 'bad_http'],
    ['transfer', 'ECONNRESET', 'body_incomplete'],
    ['transfer', 'HPE_INVALID_CHUNK_SIZE', 'bad_http'],
    ['transfer', 'ERR_SSL_BAD_RECORD_MAC', 'tls_failed'],
  ] as const)('in %s, %s is the target’s: %s', (phase, code, cause) => {
    expect(failureOf(phase, code, away)).toMatchObject({ cause, fault: 'target' })
  })

  test('a local host that is off is down, a public one is unreachable for the probe', () => {
    expect(failureOf('connect', 'EHOSTUNREACH', { local: true })).toMatchObject({
      cause: 'host_unreachable',
      fault: 'target',
    })
    expect(failureOf('connect', 'EHOSTUNREACH', away).cause).toBe('no_route')
    expect(failureOf('connect', 'ENETUNREACH', { local: true }).fault).toBe('probe')
  })

  test('a refused query and a refused connection differ', () => {
    expect(failureOf('dns', 'ECONNREFUSED', away).fault).toBe('probe')
    expect(failureOf('connect', 'ECONNREFUSED', away).fault).toBe('target')
  })
})

describe('a deadline', () => {
  test.each(phases)('in %s contains the duration of the wait', (phase) => {
    expect(deadlineFailure(phase, 400).reason).toMatch(/ within 400 ms$/)
    expect(deadlineFailure(phase, 10_000).reason).toMatch(/ within 10 s$/)
    expect(deadlineFailure(phase, 4_400).reason).toMatch(/ within 4.4 s$/)
    expect(deadlineFailure(phase, 1).fault).toBe(phase === 'dns' ? 'probe' : 'target')
  })
})
