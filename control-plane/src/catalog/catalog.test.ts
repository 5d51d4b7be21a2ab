import {
  expectedAssertions,
  serviceCategories,
  type CatalogProbe,
} from '@probe-mesh/contracts/outage/catalog'
import {
  gradeOf,
  gradeOnceVerified,
  probeGrades,
  type ProbeGrade,
} from '@probe-mesh/contracts/outage/catalog-grade'
import { nameKey } from '@probe-mesh/contracts/outage/catalog-names'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { indexNames } from './name-index.ts'
import { readCatalog } from './read-catalog.ts'
import { resolveName } from './resolve-name.ts'
import { shippedCatalog } from './testing.ts'

const { services, stacks } = await shippedCatalog()

describe('the shipped catalog', () => {
  test('has at least 150 services and 12 stacks', () => {
    expect(services.length).toBeGreaterThanOrEqual(150)
    expect(stacks.length).toBeGreaterThanOrEqual(12)
  })

  test('is sorted by slug, so that diffs stay small', () => {
    const slugs = services.map(({ slug }) => slug)
    expect(slugs).toEqual(slugs.toSorted())
    const stackSlugs = stacks.map(({ slug }) => slug)
    expect(stackSlugs).toEqual(stackSlugs.toSorted())
  })

  test('uses every category and has a domain for every service', () => {
    expect(new Set(services.map(({ category }) => category))).toEqual(new Set(serviceCategories))
    expect(services.filter(({ domains }) => domains.length === 0)).toEqual([])
  })

  test('has no alias equal to the name or the slug', () => {
    const repeated = services.flatMap(({ slug, name, aliases }) => {
      const keys = [...new Set([slug, name].map(nameKey)), ...aliases.map(nameKey)]
      return aliases.filter((alias) => keys.indexOf(nameKey(alias)) !== keys.lastIndexOf(nameKey(alias)))
    })
    expect(repeated).toEqual([])
  })

  test('spells each shared dependency in one way', () => {
    const spellings = (key: 'cdn' | 'cloud' | 'dns') =>
      [...new Set(services.flatMap((service) => service[key] ?? []))].toSorted()
    expect(spellings('cdn')).toEqual([
      'akamai',
      'bunny',
      'cloudflare',
      'cloudfront',
      'fastly',
      'google',
      'meta',
    ])
    expect(spellings('cloud')).toEqual(['aws', 'azure', 'gcp', 'linode', 'oracle', 'vultr', 'zoho'])
    expect(spellings('dns')).toEqual([
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

  test('has no duplicate URL, and distinct names for the probes of a service', () => {
    const urls = services.flatMap(({ probes }) => probes.map(({ url }) => url))
    expect(new Set(urls).size).toBe(urls.length)
    for (const { probes } of services.filter(({ probes }) => probes.length > 1)) {
      expect(new Set(probes.map(({ name }) => name ?? '')).size).toBe(probes.length)
      expect(probes.every(({ name }) => name !== null)).toBe(true)
    }
  })
})

describe('the probes of the shipped catalog', () => {
  const probes = services.flatMap((service) => service.probes)
  const graded = (of: (probe: CatalogProbe) => ProbeGrade) =>
    Object.fromEntries(
      probeGrades.map((grade) => [grade, probes.filter((probe) => of(probe) === grade).length]),
    )

  test('include at most 20 static edge files', () => {
    expect(graded(gradeOf).edge).toBeLessThanOrEqual(20)
    expect(graded(gradeOnceVerified).edge).toBe(graded(gradeOf).edge)
  })

  test('include more than a static file for all services except a known list', () => {
    const onlyFiles = services.filter((service) => service.probes.every((probe) => gradeOf(probe) === 'edge'))
    expect(onlyFiles.map(({ slug }) => slug)).toEqual([
      'airbnb',
      'aliexpress',
      'amazon',
      'booking',
      'claude',
      'disney-plus',
      'etsy',
      'google-analytics',
      'hcaptcha',
      'hulu',
      'turnstile',
      'udemy',
      'walmart',
    ])
  })

  test('assert no content until they are verified', () => {
    const unverified = probes.filter(({ documented }) => (documented?.verified ?? null) === null)
    expect(unverified.filter((probe) => gradeOf(probe) === 'works')).toEqual([])
    for (const probe of unverified.filter(({ documented }) => documented !== undefined)) {
      expect(expectedAssertions(probe)).toEqual(expectedAssertions({ expect: probe.expect }))
    }
  })

  test('can reach the grade works if they cite documentation of the vendor', () => {
    const documented = probes.filter(({ documented }) => documented !== undefined)
    expect(documented.length).toBeGreaterThanOrEqual(70)
    expect(documented.filter((probe) => gradeOnceVerified(probe) !== 'works')).toEqual([])
  })
})

test.each([
  ['api.npmjs.org', 'npm'],
  ['npm registry', 'npm'],
  ['s3', 'aws-s3'],
  ['Amazon S3', 'aws-s3'],
  ['messenger', 'messenger'],
  ['Facebook Messenger', 'messenger'],
  ['line messenger', 'line'],
  ['google.de', 'google'],
  ['www.google.co.uk', 'google'],
])('the shipped catalog resolves %j to %s', (query, slug) => {
  expect(resolveName(indexNames({ services }), query)).toEqual({ slug, didYouMean: [] })
})

describe('a catalog file', () => {
  const parseYaml = (text: string): unknown => parse(text) as unknown

  test('may be JSON and may contain no services', () => {
    expect(readCatalog('{"stacks":[],"services":[]}', { parseYaml }).ok).toBe(true)
  })

  test.each([
    ['services: [', 'is not YAML'],
    [`a: &a [x]\nb: [${Array(2_000).fill('*a').join()}]`, ''],
    ['', 'expected object'],
  ])('with the content %j is refused with its problem', (text, message) => {
    const read = readCatalog(text, { parseYaml })
    expect(read.ok ? [] : read.problems.map((problem) => problem.message).join()).toContain(message)
    expect(read.ok).toBe(false)
  })

  test('is refused without parsing above 16 Mi characters', () => {
    const read = readCatalog(' '.repeat(16 * 1024 * 1024 + 1), {
      parseYaml: () => expect.unreachable(),
    })
    expect(read.ok).toBe(false)
  })
})
