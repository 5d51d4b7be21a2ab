import { hash } from 'node:crypto'
import type { Catalog, CatalogProbe, CatalogService } from '@probe-mesh/contracts/outage/catalog'

/** A service of a scenario: how the catalog lists it, with probes on hosts of its own. */
export type Listed = Partial<
  Pick<CatalogService, 'name' | 'aliases' | 'domains' | 'vendor' | 'cdn' | 'cloud' | 'cloudRegion' | 'dns'>
> & {
  slug: string
  /** What its probes expect. */
  expect?: CatalogProbe['expect']
  /** Two where it has a web site and an API. */
  probes?: 1 | 2
  /** What its readings took at this hour on the last seven days, ms; absent: nothing was measured. */
  usualMs?: number
  /** Headers of its answers. */
  marks?: Readonly<Record<string, string>>
  nameServers?: readonly string[]
}

/** Services that a scenario asks for together. */
export type ListedStack = { slug: string; members: readonly string[] }

/** Each probe's host has a domain of its own, which only the fleet resolves. */
export const hostOf = (name: string): string => `${name}-scenario.com`

/** Where a service's probes go, in their order. */
export const hostsOf = ({ slug, probes = 1 }: Pick<Listed, 'slug' | 'probes'>): string[] =>
  [slug, `${slug}-api`].slice(0, probes).map(hostOf)

export const nameOf = ({ slug, name }: Listed): string => name ?? slug

/** The catalog file of some services, as its author would write it. */
export const catalogOf = (
  services: readonly Listed[],
  stacks: readonly ListedStack[],
  portOf: (host: string) => number,
): Catalog => ({
  stacks: stacks.map(({ slug, members }) => ({
    id: stackIdOf(slug),
    slug,
    name: slug,
    description: 'Asked for together.',
    members: [...members],
  })),
  services: services.map((service) => ({
    slug: service.slug,
    name: nameOf(service),
    aliases: service.aliases ?? [],
    domains: service.domains ?? [],
    category: 'work',
    vendor: service.vendor ?? null,
    probes: hostsOf(service).map((host) => ({
      url: `http://${host}:${portOf(host)}/`,
      name: null,
      expect: service.expect ?? {},
    })),
    cdn: service.cdn ?? null,
    cloud: service.cloud ?? null,
    cloudRegion: service.cloudRegion ?? null,
    dns: service.dns ?? null,
    statusPage: null,
  })),
})

/** A UUIDv8 of the slug, so that a stack keeps its id. */
export const stackIdOf = (slug: string): string => {
  const hex = hash('sha256', slug, 'hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(12, 15)}`,
    `8${hex.slice(15, 18)}`,
    hex.slice(18, 30),
  ].join('-')
}
