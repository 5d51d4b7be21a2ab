/** Names of this machine, as URLs write them. */
export const localHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** The host names of URLs, without ports; null is none. Pure. */
export const hostNamesOf = (urls: readonly (string | null)[]): string[] =>
  urls.flatMap((url) => (url === null ? [] : [URL.parse(url)?.hostname ?? '']))

/** Hosts that requests may be for: this machine, those of our own URLs, and those that were configured. Pure. */
export const allowedHostsOf = (
  urls: readonly (string | null)[],
  configured: readonly string[],
): readonly string[] => [
  ...new Set([
    ...localHosts,
    ...[...hostNamesOf(urls), ...configured.map(nameOf)].filter((name) => name !== ''),
  ]),
]

/**
 * Whether a request may be for this `Host`: a page elsewhere that has its own name lead to this machine (DNS
 * rebinding) sends that name. The address that the connection came to is no such name. Pure.
 * @param connectedTo the address of this end of the connection
 */
export const isAllowedHost = (
  host: string | undefined,
  allowed: readonly string[],
  connectedTo: string | undefined,
): boolean => {
  const name = nameOf(host ?? '')
  if (name === '') return false
  return allowed.includes(name) || isLoopback(name) || isAddress(name, connectedTo)
}

const isLoopback = (name: string): boolean => /^127(?:\.\d{1,3}){3}$/.test(name)

const isAddress = (name: string, address: string | undefined): boolean => {
  if (address === undefined) return false
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return name === nameOf(ipv4.includes(':') ? `[${ipv4}]` : ipv4)
}

/** The name in `Host`, as URLs write it: in lower case, without its port; empty for what is none. */
const nameOf = (host: string): string => {
  if (!/^[\w.\-[\]:]+$/.test(host)) return ''
  return URL.parse(`http://${host}`)?.hostname ?? ''
}
