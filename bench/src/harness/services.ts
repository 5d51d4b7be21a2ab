import { CatalogService as Service, type CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { createRandom } from './statistics.ts'

/** Services as the catalog has them: a slug, a name of two words, two aliases, two domains. */
export const servicesOf = (count: number): CatalogService[] =>
  Array.from({ length: count }, (_, index) => {
    const [first, second] = [wordOf(index), wordOf(index + 7_919)]
    return Service.parse({
      slug: `${first}-${second}`,
      name: `${capital(first)} ${capital(second)}`,
      aliases: [`${first}${index}`, `the ${second} of ${first}`],
      domains: [`${first}-${second}.example`, `${second}${index}.example`],
      category: 'work',
      probes: [{ url: `https://example.com/${index}` }],
    })
  })

/** What assistants name, in equal parts: a slug, a name, an alias, a URL. */
const askedOf = ({ slug, name, aliases, domains }: CatalogService): string[] => [
  slug,
  name,
  aliases[1] ?? name,
  `https://www.${domains[0] ?? ''}/status`,
]

/** Requests for the status of every service, shuffled, the same in every run. */
export const statusPathsOf = (services: readonly CatalogService[]): string[] => {
  const random = createRandom(services.length)
  return services
    .flatMap(askedOf)
    .map((asked) => ({ path: statusPath(asked), at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ path }) => path)
}

export const statusPath = (asked: string): string => `/v1/public/services/${encodeURIComponent(asked)}/status`

const syllables = 'ba co du fe gi lo ma ne pi ro su ta ve wi xu zo'.split(' ')

/** A word of four syllables, different for every number below 65,536. */
const wordOf = (index: number): string =>
  [12, 8, 4, 0].map((shift) => syllables[((index * 40_503) >> shift) & 15]).join('')

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
