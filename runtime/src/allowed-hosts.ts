/** The names of this machine in a URL. */
export const localHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** The host names of URLs, without ports. Skips null. */
const hostNamesOf = (urls: readonly (string | null)[]): string[] =>
  urls.flatMap((url) => (url === null ? [] : [URL.parse(url)?.hostname ?? '']))

/** The allowed hosts: this machine, the hosts of our own URLs, and the configured hosts. */
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
 * Whether a request with this `Host` is allowed. Refuses DNS rebinding: a foreign page whose name resolves to
 * this machine sends that name. The local address of the connection is always allowed.
 */
export type HostRule = (
  host: string | undefined,
  connection: { localAddress?: string | undefined },
) => boolean

/** The rule for these names. It remembers the last `Host`: most requests have the same. */
export const createHostRule = (allowed: readonly string[]): HostRule => {
  let last: { host: string; name: string; isNamed: boolean } | null = null
  const read = (host: string): { name: string; isNamed: boolean } => {
    if (last?.host === host) return last
    const name = nameOf(host)
    last = { host, name, isNamed: name !== '' && (allowed.includes(name) || isLoopback(name)) }
    return last
  }
  return (host, connection) => {
    const { name, isNamed } = read(host ?? '')
    return isNamed || (name !== '' && isAddress(name, connection.localAddress))
  }
}

const isLoopback = (name: string): boolean => /^127(?:\.\d{1,3}){3}$/.test(name)

const isAddress = (name: string, address: string | undefined): boolean => {
  if (address === undefined) return false
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return name === nameOf(ipv4.includes(':') ? `[${ipv4}]` : ipv4)
}

/** The name in `Host`, in lower case, without the port. Empty when `Host` is invalid. */
const nameOf = (host: string): string => {
  if (!/^[\w.\-[\]:]+$/.test(host)) return ''
  return URL.parse(`http://${host}`)?.hostname ?? ''
}
