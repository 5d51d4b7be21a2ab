import { describe, expect, it } from 'vitest'
import { planInternet } from './internet-plan.ts'

const services = [
  { slug: 'storage', host: 'storage.googleapis.com', zone: 'googleapis.com' },
  { slug: 'query', host: 'bigquery.googleapis.com', zone: 'googleapis.com' },
  { slug: 'git', host: 'github.com', zone: 'github.com', cdn: 'fastly' },
  { slug: 'state', host: 'www.gov.uk', zone: 'gov.uk' },
]

describe('the internet of a region', () => {
  const plan = planInternet(services)

  it('gives every service its own address and every zone its own name server', () => {
    const addresses = [...plan.targets, ...plan.zones].map(({ address }) => address)
    expect(new Set(addresses).size).toBe(services.length + 3)
    expect(plan.zones.map(({ zone, hosts }) => [zone, hosts.map(({ slug }) => slug)])).toEqual([
      ['googleapis.com', ['storage', 'query']],
      ['github.com', ['git']],
      ['gov.uk', ['state']],
    ])
  })

  it('delegates from the root to each zone, with the address of its server', () => {
    expect(Object.keys(plan.parentFiles)).toEqual(['.', 'com.', 'uk.'])
    expect(plan.parentFiles['.']).toContain('com. 3600 NS ns.')
    expect(plan.parentFiles['uk.']).toContain('gov.uk. 3600 NS ns.gov.uk.')
    expect(plan.parentFiles['uk.']).toContain(`ns.gov.uk. 3600 A ${plan.zones[2]?.address}`)
    expect(plan.zoneFiles['github.com.']).toContain(`github.com. 2 A ${plan.targets[2]?.address}`)
  })
})
