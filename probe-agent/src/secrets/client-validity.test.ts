import { afterAll, expect, test } from 'vitest'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { createCertificates } from '../request/testing/certificates.ts'
import { clientProblem } from './client-validity.ts'

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
