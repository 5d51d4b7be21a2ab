import { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { service } from '@probe-mesh/control-plane/src/catalog/testing'
import { lines, packed, paragraphs } from './payloads.ts'
import type { TestWeb } from './test-web.ts'

const names = packed(lines, 60)
const probeNames = packed(lines, 40)
const descriptions = packed(
  paragraphs.map((text) => text.replaceAll('\u0000', '')),
  300,
)
const reasons = packed(paragraphs, 300)
/** The first slug is an example in our own texts. */
const slugOf = (n: number): string => (n === 0 ? 'github' : `planted-service-${n}`)
const stackSlugOf = (n: number): string => (n === 0 ? 'web-shop' : `planted-stack-${n}`)
/** One page each; enough to use every text. */
const services = 6

/** A catalog made of these texts, as if an attacker had written the file. */
export const plantedCatalog = indexCatalog(
  Catalog.parse({
    services: names.slice(0, services).map((name, n) =>
      service(slugOf(n), {
        name,
        aliases: names.slice(services + 5 * n, services + 5 * n + 5),
        domains: [`service-${n}.example`],
        statusPage: `https://status.example/${n}?"><zq-made>`,
        probes: [
          { url: `https://asked.example/${n}`, name: probeNames[n] ?? null, expect: {} },
          {
            url: `https://asked.example/${n}?second`,
            name: probeNames[n + services] ?? null,
            expect: {},
          },
        ],
      }),
    ),
    stacks: descriptions.slice(0, services).map((description, n) => ({
      id: `5d1a3d3c-0b60-5f5b-9d5e-3f5a5a1f000${n}`,
      slug: stackSlugOf(n),
      name: names[names.length - 1 - n],
      description,
      members: [slugOf(n)],
    })),
  }),
)

/** The pages of the services; crawled first, since measurements age. */
export const catalogPaths = plantedCatalog.catalog.services.flatMap(({ slug }) => [
  `/services/${slug}`,
  `/services/${slug}.md`,
])

/** The links that their pages may contain, as given and as sent. */
export const catalogLinks = plantedCatalog.catalog.services.flatMap(({ statusPage, probes }) => [
  ...(statusPage === null ? [] : [statusPage, new URL(statusPage).href]),
  ...probes.map(({ url }) => url),
])

/**
 * Makes every service fail with texts of its servers, and adds reports of people.
 * @returns the texts that pages must show
 */
export const plantAnswers = ({ at }: TestWeb): [where: string, text: string][] => {
  const { observed, reports } = at.answers
  for (const [n, { slug }] of plantedCatalog.catalog.services.entries()) {
    const reasonOf = (m: number) => reasons[(2 * n + m) % reasons.length] ?? ''
    observed.setReadings(slug, {
      fra: { verdict: 'down', reason: reasonOf(0) },
      iad: { verdict: 'down', reason: reasonOf(1) },
      nrt: { verdict: 'blocked', reason: reasonOf(0) },
    })
    reports.record({ slug, region: 'fra', address: `10.9.0.${n}` })
  }
  const { services: planted, stacks } = plantedCatalog.catalog
  return [
    ...planted.map(({ name }): [string, string] => ['service', name]),
    ...stacks.flatMap(({ name, description }): [string, string][] => [
      ['stack', name],
      ['stack description', description],
    ]),
  ]
}
