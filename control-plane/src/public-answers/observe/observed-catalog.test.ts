import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import { expect, test } from 'vitest'
import { indexCatalog } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import { describeInternet } from '../answers/is-the-internet-down.ts'
import { describeService } from '../describe-service.ts'
import { newSharedState } from '../shared-incident.ts'
import { createCatalogMemory } from './catalog-memory.ts'
import { createObservedCatalog } from './observed-catalog.ts'
import { catalogReading, probeAt } from './testing.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const regions = ['fra', 'iad', 'nrt', 'sjc']
const slugs = Array.from({ length: 40 }, (_, n) => `one-${n}`)
const catalog = indexCatalog({
  stacks: [],
  services: [
    ...slugs.map((slug) => service(slug, { probes: [probeAt(`https://${slug}.com/`)] })),
    service('here', { probes: [probeAt('http://127.0.0.1:8080/')] }),
  ],
})

/** All services were up; then `failing` fail from every region. */
const observedOf = (failing: readonly string[], cause: string, vantage: Evidence['vantage']) => {
  const memory = createCatalogMemory({ catalog, regions, now: () => nowMs })
  for (const slug of [...slugs, 'here']) {
    for (const region of regions) {
      memory.add(catalogReading([slug, 0], region, 'up', nowMs - 60_000, {}, catalog))
      const more = { cause, reason: 'no answer', kind: 'confirmation' } as const
      if (failing.includes(slug))
        memory.add(catalogReading([slug, 0], region, 'down', nowMs - 5_000, more, catalog))
    }
  }
  const observed = createObservedCatalog({
    catalog,
    memory,
    baselines: { refresh: async () => undefined, of: () => null, version: () => 0 },
    weather: { refresh: async () => undefined, regions: () => [] },
    regions,
    staleAfterMs: 180_000,
    isReady: () => true,
    isQuarantined: () => false,
    burstSinceMs: () => null,
    catalogIntervalSeconds: 60,
    vantage,
    now: () => nowMs,
  })
  return {
    observed,
    statusOf: (slug: string) =>
      describeService({ slug, name: slug }, observed.regionsOf(slug), null, {
        nowMs,
        staleAfterMs: 180_000,
        vantage,
      }),
  }
}
const half = slugs.slice(0, 20)

test('from one machine, silence of half of the catalog is blamed on its own network', () => {
  const { observed, statusOf } = observedOf([...half, 'here'], 'connect_timeout', 'local')
  expect(statusOf('one-0')).toMatchObject({
    status: 'no_data',
    regionsRead: regions,
    summary: expect.stringMatching(/^From this machine, one-0 does not answer \(no answer\), like/),
  })
  expect(statusOf('one-30').status).toBe('up')
  expect(observed.services().filter(({ health }) => health === 'failing')).toHaveLength(1)
  expect(describeInternet(newSharedState, observed.services(), 'local').summary).toBe(
    'From this machine, no outage of a shared CDN, cloud region or DNS provider is visible in the 21 services measured now; 1 is down; 20 more do not answer, and the network of this machine may be at fault.',
  )
})

test('a silent service on the same machine is down', () => {
  const { statusOf } = observedOf([...half, 'here'], 'connection_refused', 'local')
  expect(statusOf('here').status).toBe('down')
})

test('a service that answers wrongly is down even if half of the catalog does', () => {
  expect(observedOf(half, 'status_mismatch', 'local').statusOf('one-0').status).toBe('down')
})

test('a service that is silent from several regions is down even if half of the catalog is', () => {
  expect(observedOf(half, 'connect_timeout', 'regional').statusOf('one-0').status).toBe('down')
})

test('a silent service is down if only a few services are silent', () => {
  const { statusOf } = observedOf(slugs.slice(0, 4), 'connect_timeout', 'local')
  expect(statusOf('one-0').status).toBe('down')
})
