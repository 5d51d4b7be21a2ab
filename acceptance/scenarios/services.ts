import { hash } from 'node:crypto'
import type { Catalog, CatalogProbe, CatalogService } from '@probe-mesh/contracts/outage/catalog'

/** A service of a scenario: its catalog entry, with probes on its own hosts. */
export type Listed = Partial<
  Pick<CatalogService, 'name' | 'aliases' | 'domains' | 'vendor' | 'cdn' | 'cloud' | 'cloudRegion' | 'dns'>
> & {
  slug: string
  /** The expectation of its probes. */
  expect?: CatalogProbe['expect']
  /** 2: a web site and an API. */
  probes?: 1 | 2
  /** The latency of its readings at this hour on the last seven days, ms; absent: no readings. */
  usualMs?: number
  /** Headers of its answers. */
  marks?: Readonly<Record<string, string>>
  nameServers?: readonly string[]
}

/** Services that a scenario queries together. */
export type ListedStack = { slug: string; members: readonly string[] }

/** Each probe's host has its own domain, which only the fleet resolves. */
export const hostOf = (name: string): string => `${name}-scenario.com`

/** The hosts of a service's probes, in order. */
export const hostsOf = ({ slug, probes = 1 }: Pick<Listed, 'slug' | 'probes'>): string[] =>
  [slug, `${slug}-api`].slice(0, probes).map(hostOf)

export const nameOf = ({ slug, name }: Listed): string => name ?? slug

/** The catalog of some services, in the form of its file. */
export const catalogOf = (
  services: readonly Listed[],
  stacks: readonly ListedStack[],
  portOf: (host: string) => number,
): Catalog => ({
  stacks: stacks.map(({ slug, members }) => ({
    id: stackIdOf(slug),
    slug,
    name: slug,
    description: 'Queried together.',
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
