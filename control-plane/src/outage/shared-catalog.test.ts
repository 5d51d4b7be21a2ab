import { beforeAll, describe, expect, test } from 'vitest'
import type { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { shippedCatalog } from '../catalog/testing.ts'
import { newSharedState, observeCatalog } from './shared-incident.ts'
import { describeInternet } from './answers/is-the-internet-down.ts'
import { observedAs, t0 } from './testing.ts'
import type { FailedAs } from './testing.ts'

/** What the answer says of the shipped catalog, where some of its services fail. */

let catalog: Catalog
beforeAll(async () => {
  catalog = await shippedCatalog()
})

const answerOf = (failing: readonly string[], how: FailedAs = {}) => {
  const services = catalog.services.map((service) =>
    observedAs(service, failing.includes(service.slug) ? how : null),
  )
  return describeInternet(observeCatalog(newSharedState, services, t0), services, 'regional')
}

const microsoft = ['entra-id', 'microsoft-365', 'microsoft-teams', 'outlook', 'xbox']
const meta = ['facebook', 'instagram', 'messenger', 'threads', 'whatsapp']

describe("one vendor's outage is its own", () => {
  test.each<[string, string[], FailedAs]>([
    ['Microsoft', microsoft, { cause: 'status_mismatch' }],
    ['Google', ['google', 'gmail', 'youtube', 'google-maps'], { cause: 'status_mismatch' }],
    ['Apple', ['apple', 'apple-app-store', 'icloud'], { cause: 'response_timeout' }],
    ['Meta', meta, { cause: 'dns_servers_unreachable' }],
    ['Meta', meta, { cause: 'connect_timeout' }],
  ])('%s, %j, %j', (vendor, failing, how) => {
    const answer = answerOf(failing, how)
    expect(answer).toMatchObject({
      status: 'none',
      sharedIncident: null,
      vendorOutage: { vendor, members: failing.toSorted().map((slug) => ({ slug })) },
    })
    expect(answer.summary).toContain(`${failing.length} of `)
  })
})

test('what answers is never blamed on a DNS provider', () => {
  const failing = ['cdnjs', 'gitlab', 'nodejs', 'unpkg']
  expect(answerOf(failing, { cause: 'status_mismatch' })).toMatchObject({
    status: 'none',
    sharedIncident: null,
  })
})

test('names of several vendors that one provider serves are its outage', () => {
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
])('enough services stand in the cloud region %s for its outage to be found', (name) => {
  const failing = catalog.services.flatMap(({ slug, cloud, cloudRegion }) =>
    `${cloud}/${cloudRegion}` === name ? [slug] : [],
  )
  expect(answerOf(failing)).toMatchObject({
    status: 'incident',
    sharedIncident: { factor: { kind: 'cloud_region', name } },
  })
})

test('that everything fails is said', () => {
  const all = catalog.services.map(({ slug }) => slug)
  const answer = answerOf(all, { cause: 'status_mismatch' })
  expect(answer).toMatchObject({
    status: 'incident',
    sharedIncident: { factor: { kind: 'unknown' } },
  })
  expect(answer.summary).toContain(`${all.length} of ${all.length} services have failed from every region`)
})
