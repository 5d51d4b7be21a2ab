import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { shippedCatalog } from '../catalog/testing.ts'
import { newSharedState, observeCatalog } from './shared-incident.ts'
import { describeInternet } from './answers/is-the-internet-down.ts'
import { observedAs, t0, type FailureCase } from './testing.ts'

/** Answers about the shipped catalog while some of its services fail. */
const catalog = useOnce(() => shippedCatalog())

const answerOf = (failing: readonly string[], failure: FailureCase = {}) => {
  const services = catalog.services.map((service) =>
    observedAs(service, failing.includes(service.slug) ? failure : null),
  )
  return describeInternet(observeCatalog(newSharedState, services, t0), services, 'regional')
}

const microsoft = ['entra-id', 'microsoft-365', 'microsoft-teams', 'outlook', 'xbox']
const meta = ['facebook', 'instagram', 'messenger', 'threads', 'whatsapp']

describe('the outage of one vendor is a vendor outage and no shared incident', () => {
  test.each<[string, string[], FailureCase]>([
    ['Microsoft', microsoft, { cause: 'status_mismatch' }],
    ['Google', ['google', 'gmail', 'youtube', 'google-maps'], { cause: 'status_mismatch' }],
    ['Apple', ['apple', 'apple-app-store', 'icloud'], { cause: 'response_timeout' }],
    ['Meta', meta, { cause: 'dns_servers_unreachable' }],
    ['Meta', meta, { cause: 'connect_timeout' }],
  ])('%s: %j fail with %j', (vendor, failing, failure) => {
    const answer = answerOf(failing, failure)
    expect(answer).toMatchObject({
      status: 'none',
      sharedIncident: null,
      vendorOutage: { vendor, members: failing.toSorted().map((slug) => ({ slug })) },
    })
    expect(answer.summary).toContain(`${failing.length} of `)
  })
})

test('services that answer wrongly do not implicate their DNS provider', () => {
  const failing = ['cdnjs', 'gitlab', 'nodejs', 'unpkg']
  expect(answerOf(failing, { cause: 'status_mismatch' })).toMatchObject({
    status: 'none',
    sharedIncident: null,
  })
})

test('DNS failures of several vendors with one DNS provider are an incident of that provider', () => {
  const failing = ['cloudflare', 'discord', 'gitlab', 'matrix-org', 'medium', 'nodejs', 'unpkg']
  expect(answerOf(failing, { cause: 'dns_servers_unreachable' })).toMatchObject({
    status: 'incident',
    sharedIncident: { factor: { kind: 'dns', name: 'cloudflare' } },
  })
})

test.each([
  'aws/us-east-1',
  'aws/us-west-2',
  'aws/eu-central-1',
  'aws/eu-west-1',
  'aws/ap-northeast-1',
  'aws/ap-southeast-2',
])('the catalog has enough services in the cloud region %s to detect its outage', (name) => {
  const failing = catalog.services.flatMap(({ slug, cloud, cloudRegion }) =>
    `${cloud}/${cloudRegion}` === name ? [slug] : [],
  )
  expect(answerOf(failing)).toMatchObject({
    status: 'incident',
    sharedIncident: { factor: { kind: 'cloud_region', name } },
  })
})

test('a failure of all services is an incident of unknown cause', () => {
  const all = catalog.services.map(({ slug }) => slug)
  const answer = answerOf(all, { cause: 'status_mismatch' })
  expect(answer).toMatchObject({
    status: 'incident',
    sharedIncident: { factor: { kind: 'unknown' } },
  })
  expect(answer.summary).toContain(`${all.length} of ${all.length} services have failed from every region`)
})
