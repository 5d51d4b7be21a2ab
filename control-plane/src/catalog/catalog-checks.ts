import { hash } from 'node:crypto'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { expectedAssertions, type Catalog, type CatalogService } from '@probe-mesh/contracts/outage/catalog'

/** The check for one probe of a catalog service. */
export type CatalogCheck = {
  /** The same for the same service and URL, on every machine and after every restart. */
  checkId: string
  slug: string
  /** The index of the probe, from 0. */
  probe: number
  name: string
  url: string
  assertions: Assertions
}

/** The checks of a catalog, in its order. */
export const catalogChecksOf = ({ services }: Pick<Catalog, 'services'>): CatalogCheck[] =>
  services.flatMap((service) =>
    service.probes.map((probe, index) => ({
      checkId: checkIdOf(service, probe.url),
      slug: service.slug,
      probe: index,
      name: probe.name === null ? service.name : `${service.name} (${probe.name})`,
      url: probe.url,
      assertions: expectedAssertions(probe),
    })),
  )

/** A UUIDv8 (RFC 9562 5.8) from the service and the URL: a probe with another URL has its own history. */
const checkIdOf = ({ slug }: CatalogService, url: string): string => {
  const bytes = Buffer.from(hash('sha256', `catalog\n${slug}\n${url}`, 'hex'), 'hex').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
