import { describe, expect, test } from 'vitest'
import { PlateLevel, ReportRegion, ServiceStatus, ServiceStatusAnswer } from './answers.ts'

const region = {
  region: 'fra',
  status: 'up',
  reason: null,
  latencyMs: 12.3,
  measuredAt: '2026-11-20T12:00:00.000Z',
  fresh: true,
}
const answer = {
  service: { slug: 'github', name: 'GitHub' },
  status: 'up',
  didYouMean: [],
  regions: [region],
  regionsRead: ['fra'],
  measuredAt: '2026-11-20T12:00:00.000Z',
  freshness: { verdict: 'fresh', ageSeconds: 3, staleAfterSeconds: 180 },
  vantage: 'regional',
  url: 'http://127.0.0.1:8080/services/github',
  summary: 'GitHub is up.',
}

test('the enums match the specification', () => {
  expect(ServiceStatus.options.toSorted()).toEqual(
    ['up', 'down', 'down_in_some_regions', 'blocked', 'no_data', 'not_covered'].toSorted(),
  )
  expect(PlateLevel.options).toEqual(['down', 'down_in_some_regions', 'degraded', 'blocked', 'no_data', 'up'])
})

describe('a status answer', () => {
  test.each<[string, object, boolean]>([
    ['as it should be', {}, true],
    ['of ten regions', { regions: Array.from({ length: 10 }, () => region) }, true],
    ['of eleven', { regions: Array.from({ length: 11 }, () => region) }, false],
    ['that guesses', { status: 'probably_up' }, false],
    ['of a level that is not a status', { status: 'degraded' }, false],
    ['outside the catalog', { service: null, status: 'not_covered', measuredAt: null }, true],
    ['with four names', { didYouMean: ['a', 'b', 'c', 'd'] }, false],
    ['without a page to cite', { url: undefined }, false],
    ['without a sentence', { summary: undefined }, false],
    ['without freshness', { freshness: undefined }, false],
    ['with a time without milliseconds', { measuredAt: '2026-11-20T12:00:00Z' }, false],
  ])('%s', (_, more, isValid) => {
    expect(ServiceStatusAnswer.safeParse({ ...answer, ...more }).success).toBe(isValid)
  })
})

test.each([
  ['fra', true],
  ['unknown', true],
  ['Frankfurt', false],
  ['', false],
])('a report may have the region %j: %s', (named, isValid) => {
  expect(ReportRegion.safeParse(named).success).toBe(isValid)
})
