import { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeService, describeUncovered } from './describe-service.ts'
import { at, heldAs } from './testing.ts'
import type { Seen } from './testing.ts'

const github = { slug: 'github', name: 'GitHub' }
const works = [{ url: 'https://api.github.com/zen', grade: 'works' }] as const
const held = heldAs(['up', 'down', 'old'])

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
])('asked for region %s the status is %s', (region, status, regionsRead, summary) => {
  const answer = describeService(github, held, region, at(), works)
  expect(answer).toMatchObject({ service: github, status, regionsRead })
  expect(answer.summary.startsWith(summary)).toBe(true)
})

test('outside the catalog there is no service, no region and no time, and three names at most', () => {
  expect(describeUncovered('gh', ['a', 'b', 'c', 'd'], at())).toMatchObject({
    service: null,
    status: 'not_covered',
    didYouMean: ['a', 'b', 'c'],
    regions: [],
    regionsRead: [],
    measuredAt: null,
    freshness: { verdict: 'no_data' },
  })
})

test('whatever is held, the answer keeps its schema and is fresh exactly when it has data', () => {
  const seen = fc.array(fc.constantFrom<Seen>('up', 'down', 'blocked', 'silent', 'old', 'lying'), {
    maxLength: 10,
  })
  fc.assert(
    fc.property(seen, fc.constantFrom(null, 'iad', 'fra'), (some, region) => {
      const said = describeService(github, heldAs(some), region, at(), works)
      expect(said.shows === null).toBe(!said.regions.some(({ status }) => status === 'up'))
      const answer = ServiceStatusAnswer.parse({ ...said, url: 'http://localhost/s/github' })
      expect(answer.freshness.verdict === 'fresh').toBe(answer.status !== 'no_data')
      expect(answer.regionsRead.length > 0).toBe(answer.status !== 'no_data')
      if (answer.freshness.verdict === 'fresh') expect(answer.measuredAt).not.toBeNull()
    }),
  )
})
