import type { NameEvidence } from '@probe-mesh/contracts/reading/reading-details'

/** The probe's resolver about a name that it did not resolve. */
export type ResolverResult = 'NXDOMAIN' | 'NODATA' | 'failed' | 'silent'

const resultByCause: Readonly<Record<string, ResolverResult>> = {
  dns_not_found: 'NXDOMAIN',
  dns_no_address: 'NODATA',
  dns_no_records: 'NODATA',
  dns_server_failure: 'failed',
  dns_unreachable: 'silent',
}

/**
 * @returns null for a cause unrelated to names
 */
export const resolverResultOf = (cause: string): ResolverResult | null => resultByCause[cause] ?? null

/**
 * Whether the same resolver resolves other names now. Without other names to ask for: `itself` when it resolved
 * the failing name within the last hour, else `none`.
 */
export type Controls = 'answered' | 'failed' | 'itself' | 'none'

export type AskedServer = NameEvidence['servers'][number]

/**
 * The answer of the zone's own servers. `unknown`: none could be queried, nothing proves that queries leave
 * this network, or the answer leads elsewhere. `lame`: they answer, but not for this zone.
 */
export type ZoneResult = 'unknown' | 'address' | 'no_name' | 'no_address' | 'lame' | 'silent'

export type ZoneFacts = {
  result: ZoneResult
  /** The zone whose servers were queried last; null: none. */
  zone: string | null
  servers: AskedServer[]
}

export type NameFacts = {
  name: string
  controls: Controls
  /** The response code with DNSSEC checking disabled; null without a query or an answer. */
  unchecked: string | null
  zone: ZoneFacts
}

export const nothingAsked: ZoneFacts = { result: 'unknown', zone: null, servers: [] }

export const evidenceOf = (
  resolverResult: ResolverResult,
  { name, controls, unchecked, zone }: NameFacts,
): NameEvidence => ({
  name,
  resolver: resolverResult,
  controls: controls === 'itself' ? 'none' : controls,
  unchecked,
  zone: zone.zone,
  servers: zone.servers,
})
