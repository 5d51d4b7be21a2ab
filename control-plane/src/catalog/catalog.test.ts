import { serviceCategories } from '@probe-mesh/contracts/catalog'
import { nameKey } from '@probe-mesh/contracts/catalog-names'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readCatalog } from './read-catalog.ts'
import { shippedCatalog } from './testing.ts'

const { services, stacks } = await shippedCatalog()

describe('the catalog of this repository', () => {
  test('has at least 150 services and 12 stacks', () => {
    expect(services.length).toBeGreaterThanOrEqual(150)
    expect(stacks.length).toBeGreaterThanOrEqual(12)
  })

  test('is sorted by slug, so that a change shows where it was made', () => {
    const slugs = services.map(({ slug }) => slug)
    expect(slugs).toEqual(slugs.toSorted())
    const ofStacks = stacks.map(({ slug }) => slug)
    expect(ofStacks).toEqual(ofStacks.toSorted())
  })

  test('uses every category, and knows a domain of every service', () => {
    expect(new Set(services.map(({ category }) => category))).toEqual(new Set(serviceCategories))
    expect(services.filter(({ domains }) => domains.length === 0)).toEqual([])
  })

  test('has no alias that says what the name or the slug says', () => {
    const repeated = services.flatMap(({ slug, name, aliases }) => {
      const keys = [...new Set([slug, name].map(nameKey)), ...aliases.map(nameKey)]
      return aliases.filter(
        (alias) => keys.indexOf(nameKey(alias)) !== keys.lastIndexOf(nameKey(alias)),
      )
    })
    expect(repeated).toEqual([])
  })

  test('spells what services share in one way', () => {
    const spelt = (key: 'cdn' | 'cloud' | 'dns') =>
      [...new Set(services.flatMap((service) => service[key] ?? []))].toSorted()
    expect(spelt('cdn')).toEqual([
      'akamai',
      'bunny',
      'cloudflare',
      'cloudfront',
      'fastly',
      'google',
      'meta',
    ])
    expect(spelt('cloud')).toEqual(['aws', 'azure', 'gcp', 'linode', 'oracle', 'vultr', 'zoho'])
    expect(spelt('dns')).toEqual([
      'akamai',
      'apple',
      'azure-dns',
      'cloudflare',
      'dnsimple',
      'google',
      'meta',
      'ns1',
      'route53',
    ])
  })

  test('asks no URL twice and tells two probes of a service apart', () => {
    const urls = services.flatMap(({ probes }) => probes.map(({ url }) => url))
    expect(new Set(urls).size).toBe(urls.length)
    for (const { probes } of services.filter(({ probes }) => probes.length > 1)) {
      expect(new Set(probes.map(({ name }) => name ?? '')).size).toBe(probes.length)
      expect(probes.every(({ name }) => name !== null)).toBe(true)
    }
  })
})

describe('a catalog file', () => {
  const parseYaml = (text: string): unknown => parse(text) as unknown

  test('may be JSON, and may be empty of services', () => {
    expect(readCatalog('{"stacks":[],"services":[]}', { parseYaml }).ok).toBe(true)
  })

  test.each([
    ['services: [', 'is not YAML'],
    [`a: &a [x]\nb: [${Array(2_000).fill('*a').join()}]`, ''],
    ['', 'expected object'],
  ])('%j is refused with its problem', (text, message) => {
    const read = readCatalog(text, { parseYaml })
    expect(read.ok ? [] : read.problems.map((problem) => problem.message).join()).toContain(message)
    expect(read.ok).toBe(false)
  })

  test('longer than 16 Mi characters is not parsed', () => {
    const read = readCatalog(' '.repeat(16 * 1024 * 1024 + 1), {
      parseYaml: () => expect.unreachable(),
    })
    expect(read.ok).toBe(false)
  })
})
