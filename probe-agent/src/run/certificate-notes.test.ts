import { expect, test } from 'vitest'
import { createCertificateNotes } from './certificate-notes.ts'

const one = {
  serialNumber: 'A1',
  issuer: 'CN=a',
  subjectAltName: 'DNS:a.example',
  validFromDate: new Date(0),
}

test('stores a certificate when a check shows it first, when it changes, and once an hour', () => {
  let nowMs = 1_790_000_000_000
  const notes = createCertificateNotes(() => nowMs)
  const isNoted = (checkId: string, seen = one, expiresAt = 1) =>
    notes.newsOf(checkId, seen, expiresAt) !== null
  expect([isNoted('x'), isNoted('x'), isNoted('y')]).toEqual([true, false, true])
  expect([isNoted('x', one, 2), isNoted('x', { ...one, serialNumber: 'B2' }, 2)]).toEqual([true, true])
  expect(isNoted('x', { ...one, serialNumber: 'B2' }, 2)).toBe(false)
  nowMs += 3_600_000
  expect([isNoted('y'), isNoted('y')]).toEqual([true, false])
})
