import { hostOf, nameKey } from '@probe-mesh/contracts/outage/catalog-names'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { indexNames } from './name-index.ts'
import { resolveName } from './resolve-name.ts'
import { service, shippedCatalog } from './testing.ts'

const { services } = await shippedCatalog()
const index = indexNames({ services })

const namesOf = ({ slug, name, aliases }: (typeof services)[number]) => [slug, name, ...aliases]
const named = services.flatMap((each) => namesOf(each).map((name) => ({ name, slug: each.slug })))
const hosted = services.flatMap(({ domains, slug }) => domains.map((domain) => ({ domain, slug })))

/** All services that match a query, by a search without an index. */
const matchesOf = (query: string): string[] => {
  const host = hostOf(query)
  return services
    .filter(
      (each) =>
        namesOf(each).some((name) => nameKey(name) === nameKey(query)) ||
        (host !== null && each.domains.some((domain) => `.${host}`.endsWith(`.${domain}`))),
    )
    .map(({ slug }) => slug)
}

const expectExact = (query: string): void => {
  const { slug, didYouMean } = resolveName(index, query)
  if (slug !== null) expect(matchesOf(query)).toContain(slug)
  expect(didYouMean.length).toBeLessThanOrEqual(slug === null ? 3 : 0)
  expect(new Set(didYouMean).size).toBe(didYouMean.length)
  for (const suggested of didYouMean) expect(index.names.get(nameKey(suggested))).toBe(suggested)
}

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789')
const typo = fc.record({
  at: fc.nat(),
  letter,
  kind: fc.constantFrom('insert', 'delete', 'replace', 'swap'),
})
type Typo = typeof typo extends fc.Arbitrary<infer T> ? T : never

const mistype = (text: string, { at, letter, kind }: Typo): string => {
  const place = at % (kind === 'swap' ? text.length - 1 : text.length)
  const [head, tail] = [text.slice(0, place), text.slice(place)]
  if (kind === 'insert') return `${head}${letter}${tail}`
  if (kind === 'delete') return `${head}${tail.slice(1)}`
  if (kind === 'replace') return `${head}${letter}${tail.slice(1)}`
  return `${head}${tail[1] ?? ''}${tail[0] ?? ''}${tail.slice(2)}`
}

describe('in the shipped catalog', () => {
  test('every slug, name and alias resolves to its service, in any case and with any punctuation', () => {
    for (const { name, slug } of named) {
      const dashed = name.includes('.') ? name : name.replaceAll(' ', ' - ')
      const spellings = [name, name.toUpperCase(), name.toLowerCase(), `  ${name} `, dashed]
      for (const query of spellings) {
        expect([query, resolveName(index, query).slug]).toEqual([query, slug])
      }
    }
  })

  test('every domain resolves to its service, alone, in a URL and as a subdomain', () => {
    for (const { domain, slug } of hosted) {
      const urls = [domain, `www.${domain}`, `https://${domain.toUpperCase()}/a?b=c`, `${domain}:443`]
      for (const query of [...urls, `no-service-has-this.${domain}`]) {
        expect([query, resolveName(index, query).slug]).toEqual([query, slug])
      }
    }
  })

  test('a name of at least five letters with one typo is suggested, or is another name', () => {
    const keys = named
      .map(({ name, slug }) => ({ key: nameKey(name), slug }))
      .filter(({ key }) => key.length >= 5)
    forAll([fc.constantFrom(...keys), typo], { numRuns: 3_000 }, ({ key, slug }, typo) => {
      const query = mistype(key, typo)
      const resolved = resolveName(index, query)
      if (resolved.slug !== null) expect(matchesOf(query)).toEqual([resolved.slug])
      else expect(resolved.didYouMean).toContain(slug)
    })
  })
})

describe('only an exact name resolves to a service', () => {
  test('among random texts', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 210 }),
      fc.string({ unit: letter, maxLength: 5 }),
      fc.domain(),
      fc.webUrl(),
      fc.emailAddress(),
    )
    forAll([text], { numRuns: 1_000 }, expectExact)
  })

  test('among mistyped, truncated, joined and nested names and domains', () => {
    const text = fc.constantFrom(...named.map(({ name }) => name), ...hosted.map(({ domain }) => domain))
    const changed = fc.oneof(
      fc.tuple(text, typo).map(([text, typo]) => (text.length < 2 ? text : mistype(text, typo))),
      fc.tuple(text, fc.nat(20)).map(([text, end]) => text.slice(0, end)),
      fc
        .tuple(text, fc.constantFrom('.', '/', '@', ' ', '//', '\\', '?', '%', '', '-'), text)
        .map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom('http://', 'https://', 'ftp://', '//', '@'), text).map((p) => p.join('')),
    )
    forAll([changed], { numRuns: 1_000 }, expectExact)
  })
})

describe('a hostile query', () => {
  test('of more than 200 characters has no match and no suggestion', () => {
    forAll([fc.string({ unit: 'binary', minLength: 201, maxLength: 10_000 })], { numRuns: 50 }, (query) => {
      expect(resolveName(index, query)).toEqual({ slug: null, didYouMean: [] })
    })
    expect(resolveName(index, `github${' '.repeat(195)}`).slug).toBeNull()
    expect(resolveName(index, `github${' '.repeat(194)}`).slug).toBe('github')
  })

  test.each([
    ['letters that normalize to many letters', '\ufdfa'.repeat(200)],
    ['stacked combining marks', `g${'\u0301'.repeat(199)}`],
    ['lone surrogates', '\ud800'.repeat(200)],
    ['repeated words', 'git hub '.repeat(25)],
    ['repeated labels', 'a.'.repeat(99)],
    ['one repeated letter', 'e'.repeat(200)],
  ])('of %s has no match', (_, query) => expect(resolveName(index, query).slug).toBeNull())
})

test('names resolve and misspellings are suggested in a catalog of 5,000 similar services', () => {
  const many = Array.from({ length: 5_000 }, (_, at) =>
    service(`service-${at.toString(36)}`, { name: `Service ${at}`, domains: [`s${at}.example`] }),
  )
  const large = indexNames({ services: [...services, ...many] })
  forAll([fc.constantFrom(...named)], { numRuns: 200 }, ({ name, slug }) => {
    expect(resolveName(large, name).slug).toBe(slug)
  })
  expect(resolveName(large, 'githib').didYouMean).toEqual(['github'])
  expect(resolveName(large, 'service').didYouMean).toHaveLength(3)
})
