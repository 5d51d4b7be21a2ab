import { allowNothing, type AllowList } from '@probe-mesh/contracts/target/address'
import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'
import type { RequestOptions } from '@probe-mesh/contracts/check/request-options'
import { parseConnectTo } from '@probe-mesh/contracts/target/connect-to'
import { networkOf } from '@probe-mesh/contracts/target/network-of'
import { parseTarget } from '@probe-mesh/contracts/target/target'
import { parse } from 'tldts'
import type { StoredConfig } from './check-record.ts'

/** A host that a check requests once in a run; a journey has one for each step. */
export type RequestedHost = {
  /** The field with the host. */
  path: string
  /** A name in lower-case A-labels or an IP literal. */
  host: string
  /** Its site: the registrable domain, the IPv4 address or the IPv6 /64. */
  site: string
}

/**
 * The requests of a check in one run, one entry each. Left out are private addresses, which only an operator
 * can allow, and queries to our own resolvers.
 * @param allow private addresses that are not left out; default: none
 */
export const requestedHosts = (
  check: { url: string | null; config: StoredConfig },
  allow: AllowList = allowNothing,
): RequestedHost[] => {
  const { config } = check
  switch (config.type) {
    case 'http':
      return ofRequest({ path: 'url', own: 'request' }, check.url ?? '', config.request, allow)
    case 'multistep':
      return config.steps.flatMap(({ url, options }, index) =>
        ofRequest({ path: `steps[${index}].url`, own: `steps[${index}].options` }, url, options, allow),
      )
    case 'heartbeat':
    case 'unknown':
      return []
    default:
      return typeOf(config)
        .requestsOf(config.settings, { allow })
        .flatMap(({ path, host }) => of(`settings.${path}`, host))
  }
}

/** A request that is connected elsewhere loads that host, whatever its URL says. */
const ofRequest = (
  { path, own }: { path: string; own: string },
  url: string,
  request: RequestOptions | undefined,
  allow: AllowList,
): RequestedHost[] => {
  const parsed = parseTarget(url, { allow })
  if (!parsed.ok) return []
  if (request?.connectTo === undefined) return of(path, parsed.target.host)
  const elsewhere = parseConnectTo(request.connectTo, { allow, defaultPort: parsed.target.port })
  return elsewhere.ok ? of(`${own}.connectTo`, elsewhere.dialled.host) : []
}

const of = (path: string, host: string): RequestedHost[] => [{ path, host, site: siteOf(host) }]

/** Customers of a platform are separate sites: `a.github.io` is one, by the public suffix list. */
export const siteOf = (host: string): string => {
  if (host.includes(':')) return networkOf(host)
  const { domain, isIp } = parse(host, { allowPrivateDomains: true })
  return isIp === true ? host : (domain ?? host)
}
