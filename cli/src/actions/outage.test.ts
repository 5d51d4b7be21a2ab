import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import { expect, test } from 'vitest'
import { nowMs, plain } from '../show/testing.ts'
import { outageAnswer } from './outage.ts'

const answer: ServiceStatusAnswer = {
  service: { slug: 'acme', name: 'Acme' },
  status: 'up',
  shows: 'works',
  probes: [{ url: 'https://api.acme.example/ping', grade: 'works' }],
  probeCount: 1,
  didYouMean: [],
  regionsRead: ['fra'],
  measuredAt: '2026-11-20T11:59:50.000Z',
  freshness: { verdict: 'fresh', ageSeconds: 10, staleAfterSeconds: 180 },
  vantage: 'local',
  url: 'http://127.0.0.1:8080/services/acme',
  summary: 'Acme is up in fra, the only region read.',
  regions: [],
}
const standing = (more: Partial<ServiceStatusAnswer>): string | undefined =>
  outageAnswer(plain, { ...answer, ...more }, nowMs)[1]?.trim()

test.each([
  ['works', '● up'],
  ['answers', '● answers'],
  ['edge', '? serves a file'],
] as const)('a service whose probes show %s is said to be %j', (shows, said) => {
  expect(standing({ shows })).toBe(said)
  expect(standing({ shows, status: 'down' })).toBe('✗ down')
})

test('repeats the answer of an older API, which names no probes', () => {
  expect(standing({ shows: null, probes: [], probeCount: 0 })).toBe('● up')
})
