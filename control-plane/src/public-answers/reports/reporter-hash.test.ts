import { describe, expect, test } from 'vitest'
import type { Report } from '../unusual-reports.ts'
import { createReporterHash } from './reporter-hash.ts'

const midnight = Date.parse('2026-11-20T00:00:00.000Z')
const noon = midnight + 12 * 3_600_000
const minuteMs = 60_000
const report = (more: Partial<Report> = {}): Report => ({
  slug: 'github',
  region: 'fra',
  address: '192.0.2.1',
  ...more,
})
const hashesOf = createReporterHash('a secret')
const hashOf = (more: Partial<Report> = {}, nowMs = noon): string => hashesOf(report(more), nowMs)[0]

describe('the hash of a reporter', () => {
  test.each<[string, boolean, Partial<Report>]>([
    ['is the same for another region', true, { region: 'unknown' }],
    ['is the same for the IPv4-mapped address', true, { address: '::ffff:192.0.2.1' }],
    ['differs for another address', false, { address: '192.0.2.2' }],
    ['differs for another service', false, { slug: 'gitlab' }],
  ])('%s', (_, same, more) => {
    expect(hashOf(more) === hashOf()).toBe(same)
  })

  test('is the same within one IPv6 household, and differs for the next', () => {
    const [one, other, next] = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((address) =>
      hashOf({ address }),
    )
    expect(other).toBe(one)
    expect(next).not.toBe(one)
  })

  test('differs for pairs of service and address with the same concatenation', () => {
    expect(hashOf({ slug: 'a', address: 'b1' })).not.toBe(hashOf({ slug: 'ab', address: '1' }))
  })
})

test('every instance computes the same hash, which depends on the secret', () => {
  expect(createReporterHash('a secret')(report(), noon)).toEqual(hashesOf(report(), noon))
  expect(createReporterHash('another')(report(), noon)[0]).not.toBe(hashOf())
})

test('a hash has 96 bits and changes every day', () => {
  expect(hashOf()).toMatch(/^[\w-]{16}$/)
  const days = Array.from({ length: 30 }, (_, day) => hashOf({}, noon + day * 86_400_000))
  expect(new Set(days).size).toBe(30)
})

describe('around midnight a report has hashes under the keys of both days', () => {
  test.each([
    ['not more than one minute before', -minuteMs - 1, 1],
    ['within one minute before, because another clock may be ahead', -minuteMs, 2],
    ['at midnight', 0, 2],
    ['within 16 minutes after, for earlier reports and slow clocks', 16 * minuteMs - 1, 2],
    ['not from 16 minutes after', 16 * minuteMs, 1],
  ])('%s', (_, laterMs, keys) => {
    const hashes = hashesOf(report(), midnight + laterMs)
    expect(hashes).toHaveLength(keys)
    expect(hashes[0]).toBe(hashOf({}, laterMs < 0 ? midnight - 1 : noon))
    if (keys > 1) expect(hashes[1]).toBe(hashOf({}, laterMs < 0 ? noon : midnight - 1))
  })
})
