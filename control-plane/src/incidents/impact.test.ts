import { CheckStatus } from '@probe-mesh/contracts/check/check'
import { IncidentImpact } from '@probe-mesh/contracts/incident/incident'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { impactAtOpening, impactOf, impactOfOutage, worseImpact } from './impact.ts'

const impact = fc.constantFrom(...IncidentImpact.options)

test.each([
  ['none', 'critical', 'manual', 'none'],
  [null, 'critical', 'automatic', 'critical'],
  [null, null, 'automatic', 'major'],
  [null, null, 'manual', 'minor'],
] as const)('posted %s and measured %s of an incident that is %s: %s', (posted, measured, source, counts) => {
  expect(impactOf({ postedImpact: posted, measuredImpact: measured, source })).toBe(counts)
})

test('the worse of two impacts is one of them, in any order, and none is below each', () => {
  forAll([impact, impact], (a, b) => {
    const worse = worseImpact(a, b)
    expect([a, b]).toContain(worse)
    expect(worse).toBe(worseImpact(b, a))
    const rank = (one: IncidentImpact) => ['none', 'minor', 'major', 'critical'].indexOf(one)
    expect(rank(worse)).toBe(Math.max(rank(a), rank(b)))
    expect(worseImpact(null, b)).toBe(b)
  })
})

describe('an outage', () => {
  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))

  test('is critical exactly when the page has components and all of them are down', () => {
    forAll([ids, ids], (down, published) => {
      const isAll = published.length > 0 && published.filter((id) => !down.includes(id)).length === 0
      expect(impactOfOutage(down, published)).toBe(isAll ? 'critical' : 'major')
    })
  })

  test('is at least major, and more down checks never lower it', () => {
    forAll([ids, ids, ids], (down, more, published) => {
      const before = impactOfOutage(down, published)
      expect(worseImpact(before, impactOfOutage([...down, ...more], published))).toBe(
        impactOfOutage([...down, ...more], published),
      )
    })
  })
})

describe('an incident that a person opens without an impact', () => {
  const published = [
    { id: 'a', status: 'down' },
    { id: 'b', status: 'operational' },
  ] as const

  test.each(CheckStatus.options.filter((status) => status !== 'down'))(
    'is minor while its check is %s, whatever the others are',
    (status) => expect(impactAtOpening({ id: 'b', status }, published)).toBe('minor'),
  )

  test.each([
    ['major while its check is down', 'a', published, 'major'],
    ['critical while all of the page is down', 'a', [published[0]], 'critical'],
    ['major for a check that is down and not on the page', 'z', published, 'major'],
  ] as const)('is %s', (_, id, page, expected) => {
    expect(impactAtOpening({ id, status: 'down' }, page)).toBe(expected)
  })
})
