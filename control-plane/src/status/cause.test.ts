import { describe, expect, test } from 'vitest'
import { hostOf, isSameCause, normaliseReason } from './cause.ts'

test.each([
  ['2 of 4 regions fail (fra, iad): connection refused', '1 of 2 regions fail (sjc): connection refused'],
  ['no answer within 10000 ms', 'no answer within 4 s'],
  ['connect to 10.1.2.3 refused', 'connect to 192.168.1.77 refused'],
  ['name a.example.org not found', 'name db.b.example.com not found'],
  [
    'no ping came by 2026-11-20T12:00:00Z and 5 min of grace',
    'no ping came by 2026-11-21T01:07:00Z and 1 h of grace',
  ],
])('%j and %j are one reason', (a, b) => {
  expect(normaliseReason(a)).toBe(normaliseReason(b))
})

test.each([
  ['expected status 200, got 503', 'expected status 200, got 404'],
  ['connection refused', 'connection reset'],
  [null, 'connection refused'],
])('%j and %j are two', (a, b) => {
  expect(normaliseReason(a)).not.toBe(normaliseReason(b))
})

test.each([
  [{ url: 'https://Shop.example.org:8443/a', target: null }, 'shop.example.org'],
  [{ url: null, target: 'db.example.org:5432' }, 'db.example.org'],
  [{ url: null, target: '[2001:db8::1]:25' }, '2001:db8::1'],
  [{ url: null, target: 'example.org MX @9.9.9.9' }, 'example.org'],
  [{ url: null, target: 'https://Shop.example.org/a?b' }, 'shop.example.org'],
  [{ url: 'not a url', target: null }, null],
  [{ url: null, target: null }, null],
])('the host of %j is %j', (check, host) => {
  expect(hostOf(check)).toBe(host)
})

describe('two failures have the same cause', () => {
  const failure = { host: 'a.example.org', text: 'refused', regions: ['fra'] }
  test.each([
    ['on the same host', { ...failure, text: 'timeout', regions: ['iad'] }, true],
    ['by the same reason in the same regions', { ...failure, host: 'b.example.org' }, true],
    ['not by the same reason in other regions', { ...failure, host: null, regions: ['iad'] }, false],
    ['not by another reason in the same regions', { ...failure, host: null, text: 'x' }, false],
  ])('%s', (_, other, expected) => {
    expect(isSameCause(failure, other)).toBe(expected)
  })

  test('not without regions: two late jobs have nothing in common', () => {
    const job = { host: null, text: 'no ping came', regions: [] }
    expect(isSameCause(job, { ...job })).toBe(false)
  })
})
