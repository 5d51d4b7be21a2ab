import type { NameEvidence } from '@probe-mesh/contracts/reading/reading-details'

/** What the probe's own resolver said of a name that it did not resolve. */
export type Said = 'NXDOMAIN' | 'NODATA' | 'failed' | 'silent'

const saidBy: Readonly<Record<string, Said>> = {
  dns_not_found: 'NXDOMAIN',
  dns_no_address: 'NODATA',
  dns_no_records: 'NODATA',
  dns_server_failure: 'failed',
  dns_unreachable: 'silent',
}

/** @returns null for a cause that says nothing of a name */
export const saidOf = (cause: string): Said | null => saidBy[cause] ?? null

/** Whether the same resolver resolves other names at the moment; `none`: no other name is known. */
export type Controls = 'answered' | 'failed' | 'none'

export type AskedServer = NameEvidence['servers'][number]

/**
 * What the zone's own servers say. `unknown`: none could be asked, nothing shows that such questions leave
 * this network at all, or the answer leads elsewhere. `lame`: they answer, and not for this zone.
 */
export type ZoneWord = 'unknown' | 'address' | 'no_name' | 'no_address' | 'lame' | 'silent'

export type ZoneFacts = {
  word: ZoneWord
  /** The zone whose servers were asked last; null where none was. */
  zone: string | null
  servers: AskedServer[]
}

export type NameFacts = {
  name: string
  controls: Controls
  /** The response code with DNSSEC checking disabled; null where not asked or not answered. */
  unchecked: string | null
  zone: ZoneFacts
}

export const nothingAsked: ZoneFacts = { word: 'unknown', zone: null, servers: [] }

export const evidenceOf = (
  said: Said,
  { name, controls, unchecked, zone }: NameFacts,
): NameEvidence => ({
  name,
  resolver: said,
  controls,
  unchecked,
  zone: zone.zone,
  servers: zone.servers,
})
