import { hostOf, nameKey } from '@probe-mesh/contracts/outage/catalog-names'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexNames } from './name-index.ts'
import { resolveName } from './resolve-name.ts'
import { service, shippedCatalog } from './testing.ts'

const { services } = await shippedCatalog()
const index = indexNames({ services })

const namesOf = ({ slug, name, aliases }: (typeof services)[number]) => [slug, name, ...aliases]
const named = services.flatMap((each) => namesOf(each).map((name) => ({ name, slug: each.slug })))
const hosted = services.flatMap(({ domains, slug }) => domains.map((domain) => ({ domain, slug })))

/** All services that match a text, by a search without an index. */
const namedBy = (asked: string): string[] => {
  const host = hostOf(asked)
  return services
    .filter(
      (each) =>
        namesOf(each).some((name) => nameKey(name) === nameKey(asked)) ||
        (host !== null && each.domains.some((domain) => `.${host}`.endsWith(`.${domain}`))),
    )
    .map(({ slug }) => slug)
}

const isExact = (asked: string): void => {
  const { slug, didYouMean } = resolveName(index, asked)
  if (slug !== null) expect(namedBy(asked)).toContain(slug)
  expect(didYouMean.length).toBeLessThanOrEqual(slug === null ? 3 : 0)
  expect(new Set(didYouMean).size).toBe(didYouMean.length)
  for (const meant of didYouMean) expect(index.names.get(nameKey(meant))).toBe(meant)
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

describe('of the catalog', () => {
  test('every slug, name and alias leads to its service, in any case and with any punctuation', () => {
    for (const { name, slug } of named) {
      const dashed = name.includes('.') ? name : name.replaceAll(' ', ' - ')
      const spellings = [name, name.toUpperCase(), name.toLowerCase(), `  ${name} `, dashed]
      for (const asked of spellings) {
        expect([asked, resolveName(index, asked).slug]).toEqual([asked, slug])
      }
    }
  })

  test('every domain leads to its service, by itself, in a URL, and with a name below it', () => {
    for (const { domain, slug } of hosted) {
      const urls = [domain, `www.${domain}`, `https://${domain.toUpperCase()}/a?b=c`, `${domain}:443`]
      for (const asked of [...urls, `no-service-has-this.${domain}`]) {
        expect([asked, resolveName(index, asked).slug]).toEqual([asked, slug])
      }
    }
  })

  test('a name of five letters or more with one wrong is suggested, or is itself a name', () => {
    const keys = named
      .map(({ name, slug }) => ({ key: nameKey(name), slug }))
      .filter(({ key }) => key.length >= 5)
    fc.assert(
      fc.property(fc.constantFrom(...keys), typo, ({ key, slug }, typo) => {
        const asked = mistype(key, typo)
        const resolved = resolveName(index, asked)
        if (resolved.slug !== null) expect(namedBy(asked)).toEqual([resolved.slug])
        else expect(resolved.didYouMean).toContain(slug)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('nothing but an exact name leads to a service', () => {
  test('of texts at random', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 210 }),
      fc.string({ unit: letter, maxLength: 5 }),
      fc.domain(),
      fc.webUrl(),
      fc.emailAddress(),
    )
    fc.assert(fc.property(text, isExact), { numRuns: 1_000 })
  })

  test('of names and domains that are mistyped, cut, joined or put into one another', () => {
    const text = fc.constantFrom(...named.map(({ name }) => name), ...hosted.map(({ domain }) => domain))
    const changed = fc.oneof(
      fc.tuple(text, typo).map(([text, typo]) => (text.length < 2 ? text : mistype(text, typo))),
      fc.tuple(text, fc.nat(20)).map(([text, end]) => text.slice(0, end)),
      fc
        .tuple(text, fc.constantFrom('.', '/', '@', ' ', '//', '\\', '?', '%', '', '-'), text)
        .map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom('http://', 'https://', 'ftp://', '//', '@'), text).map((p) => p.join('')),
    )
    fc.assert(fc.property(changed, isExact), { numRuns: 1_000 })
  })
})

describe('hostile queries', () => {
  test('texts beyond 200 characters match nothing and are not searched', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 201, maxLength: 10_000 }), (asked) => {
        expect(resolveName(index, asked)).toEqual({ slug: null, didYouMean: [] })
      }),
      { numRuns: 50 },
    )
    expect(resolveName(index, `github${' '.repeat(195)}`).slug).toBeNull()
    expect(resolveName(index, `github${' '.repeat(194)}`).slug).toBe('github')
  })

  test.each([
    ['letters that fold into many', '\ufdfa'.repeat(200)],
    ['marks upon marks', `g${'\u0301'.repeat(199)}`],
    ['halves of surrogate pairs', '\ud800'.repeat(200)],
    ['words upon words', 'git hub '.repeat(25)],
    ['labels upon labels', 'a.'.repeat(99)],
    ['one letter over and over', 'e'.repeat(200)],
  ])('of %s name nothing', (_, asked) => expect(resolveName(index, asked).slug).toBeNull())
})

test('of 5,000 services only those with similar letters are compared letter by letter', () => {
  const many = Array.from({ length: 5_000 }, (_, at) =>
    service(`service-${at.toString(36)}`, { name: `Service ${at}`, domains: [`s${at}.example`] }),
  )
  const large = indexNames({ services: [...services, ...many] })
  fc.assert(
    fc.property(fc.constantFrom(...named), ({ name, slug }) => {
      expect(resolveName(large, name).slug).toBe(slug)
    }),
    { numRuns: 200 },
  )
  expect(resolveName(large, 'githib').didYouMean).toEqual(['github'])
  expect(resolveName(large, 'service').didYouMean).toHaveLength(3)
})
