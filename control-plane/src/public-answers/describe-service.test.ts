import { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { describeService, describeUncovered } from './describe-service.ts'
import { optionsAt, regionsAs, type RegionCase } from './testing.ts'

const github = { slug: 'github', name: 'GitHub' }
const works = [{ url: 'https://api.github.com/zen', grade: 'works' }] as const
const regions = regionsAs(['up', 'down', 'stale'])

test.each([
  [
    null,
    'down_in_some_regions',
    ['iad', 'sjc'],
    'GitHub is down in 1 of 2 regions (sjc): down for the test; it is up in iad; fra not read, measured',
  ],
  ['iad', 'up', ['iad'], 'GitHub is up in iad, the only region read'],
  [
    'sjc',
    'down',
    ['sjc'],
    'GitHub is down in sjc, the only region read: down for the test (probed api.github.com)',
  ],
  ['fra', 'no_data', [], 'We have no recent measurement of GitHub from fra, so we cannot say'],
  ['nrt', 'no_data', [], 'We have no recent measurement of GitHub from nrt, so we cannot say'],
])('the answer for region %s is %s', (region, status, regionsRead, summary) => {
  const answer = describeService(github, regions, region, optionsAt(), works)
  expect(answer).toMatchObject({ service: github, status, regionsRead })
  expect(answer.summary.startsWith(summary)).toBe(true)
})

test('an answer outside the catalog has no service, region or time, and at most three suggestions', () => {
  expect(describeUncovered('gh', ['a', 'b', 'c', 'd'], optionsAt())).toMatchObject({
    service: null,
    status: 'not_covered',
    didYouMean: ['a', 'b', 'c'],
    regions: [],
    regionsRead: [],
    measuredAt: null,
    freshness: { verdict: 'no_data' },
  })
})

test('any answer matches its schema, and is fresh exactly if it has data', () => {
  const anyCases = fc.array(
    fc.constantFrom<RegionCase>('up', 'down', 'blocked', 'missing', 'stale', 'quarantined'),
    {
      maxLength: 10,
    },
  )
  forAll([anyCases, fc.constantFrom(null, 'iad', 'fra')], (cases, region) => {
    const described = describeService(github, regionsAs(cases), region, optionsAt(), works)
    expect(described.shows === null).toBe(!described.regions.some(({ status }) => status === 'up'))
    const answer = ServiceStatusAnswer.parse({ ...described, url: 'http://localhost/s/github' })
    expect(answer.freshness.verdict === 'fresh').toBe(answer.status !== 'no_data')
    expect(answer.regionsRead.length > 0).toBe(answer.status !== 'no_data')
    if (answer.freshness.verdict === 'fresh') expect(answer.measuredAt).not.toBeNull()
  })
})
