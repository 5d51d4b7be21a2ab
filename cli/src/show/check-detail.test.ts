import { expect, test } from 'vitest'
import { checkDetail, expiryLines } from './check-detail.ts'
import { detailOf, nowMs, plain } from './testing.ts'

test('shows how many readings failed when failures recur', () => {
  const statusReason = '1 of 4 regions fail (fra): got 503'
  const intermittent = { failed: 12, of: 40, since: '2026-11-20T09:05:00.000Z' }
  const check = detailOf('api', { status: 'degraded', statusReason, intermittent })
  const text = checkDetail(plain, check, nowMs).join(' ').replaceAll(/\s+/g, ' ')
  expect(text).toContain(
    '1 of 4 regions fail (fra): got 503; fails now and then: 12 of 40 readings failed since 09:05 UTC',
  )
})

const wide = { ...plain, columns: 200 }
const certificate = {
  expiresAt: '2026-11-26T12:00:00.000Z',
  daysLeft: 6,
  issuer: 'R3',
  names: ['example.org', 'www.example.org'],
  nameCount: 3,
  validFrom: null,
  seenAt: '2026-11-20T12:00:00.000Z',
  regions: ['fra'],
}

test('shows when a certificate and a domain expire, who issued them and for what', () => {
  const domain = {
    name: 'example.org',
    expiresAt: '2026-12-01T00:00:00.000Z',
    daysLeft: 1,
    registrar: 'A Registrar',
    askedAt: '2026-11-20T12:00:00.000Z',
  }
  expect(expiryLines(wide, { certificates: [certificate], domain })).toEqual([
    'Certificate: expires in 6 days (2026-11-26); issued by R3; for example.org, www.example.org and 1 more',
    'Domain: example.org expires in 1 day (2026-12-01); registrar A Registrar',
  ])
})

test('shows the regions of each certificate, and which has expired', () => {
  const expired = { ...certificate, daysLeft: -1, issuer: null, names: [], nameCount: 0 }
  const [first, second] = expiryLines(wide, { certificates: [expired, certificate] })
  expect(first).toBe('Certificate: expired on 2026-11-26; shown in fra')
  expect(second).toMatch(/shown in fra$/)
})

test('shows the last day as less than a day', () => {
  expect(expiryLines(wide, { certificates: [{ ...certificate, daysLeft: 0 }] })).toEqual([
    expect.stringContaining('expires in less than a day (2026-11-26); issued'),
  ])
})

test('shows nothing when nothing is known', () => {
  expect(expiryLines(wide, {})).toEqual([])
})
