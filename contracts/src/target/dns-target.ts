import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'
import { domainToASCII } from 'node:url'
import { classifyAddress, type AllowList } from './address.ts'
import { parseHost } from './target.ts'

type DnsTargetRule = 'dns_name' | 'dns_internal_name' | 'dns_resolver' | 'dns_resolver_port' | 'address'

/** Why a dns check is not allowed. The message never repeats an address. */
export type DnsTargetProblem = {
  rule: DnsTargetRule
  /** The invalid field of the settings. */
  path: 'name' | 'resolver'
  message: string
}

/** The settings of a query: a name, and the resolver that is asked; null: our own. */
type QueriedName = { name: string; resolver: string | null }

/** The address of a resolver: a canonical IP literal and a port. */
export type ResolverAddress = { address: string; port: number }

/** An allowed query. The name is in lower-case A-labels, without a trailing dot. */
export type DnsTarget = { name: string; resolver: ResolverAddress | null }

type Parsed<T> = ({ ok: true } & T) | { ok: false; problem: DnsTargetProblem }

const dnsPort = 53
const nameCharactersMax = 253

/** A label of a queried name: letters, digits, inner hyphens, underscores (RFC 8552). */
const queryLabel = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

const problem = (
  path: DnsTargetProblem['path'],
  rule: DnsTargetRule,
  message: string,
): { ok: false; problem: DnsTargetProblem } => ({ ok: false, problem: { rule, path, message } })

/**
 * The rule for the name and resolver of a dns check, at save and on every run. The resolver is a target too (S-505).
 * @returns null when the query is allowed
 */
export const dnsTargetProblem = (
  settings: QueriedName,
  options: { allow: AllowList },
): DnsTargetProblem | null => {
  const parsed = parseDnsTarget(settings, options)
  return parsed.ok ? null : parsed.problem
}

/** Applies the rule and returns the parsed query. */
export const parseDnsTarget = (
  settings: QueriedName,
  { allow }: { allow: AllowList },
): Parsed<{ target: DnsTarget }> => {
  const named = parseName(settings.name)
  if (!named.ok) return named
  const { name } = named
  if (settings.resolver !== null) {
    const parsed = parseResolver(settings.resolver, allow)
    return parsed.ok ? { ok: true, target: { name, resolver: parsed.resolver } } : parsed
  }
  if (isInternalName(name, allow)) {
    const message = 'the name is internal: set a resolver to query it'
    return problem('name', 'dns_internal_name', message)
  }
  return { ok: true, target: { name, resolver: null } }
}

const parseName = (text: string): Parsed<{ name: string }> => {
  if (isIP(text) !== 0) {
    const message = 'the name is an address: its PTR record has a name under in-addr.arpa or ip6.arpa'
    return problem('name', 'dns_name', message)
  }
  const name = aLabels(text).toLowerCase().replace(/\.$/, '')
  const valid = name.length <= nameCharactersMax && name.split('.').every((label) => queryLabel.test(label))
  return valid ? { ok: true, name } : problem('name', 'dns_name', 'the name is not a valid DNS name')
}

/** Applies IDNA to non-ASCII names. Empty for an invalid name. */
export const aLabels = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- matches all of ASCII
  /^[\u0000-\u007f]*$/.test(text) ? text : domainToASCII(text)

const parseResolver = (text: string, allow: AllowList): Parsed<{ resolver: ResolverAddress }> => {
  const resolver = parseResolverAddress(text)
  if (resolver === null) {
    const message = 'the resolver must be an IP address, such as 192.0.2.53 or [2001:db8::53]:53'
    return problem('resolver', 'dns_resolver', message)
  }
  if (!classifyAddress(resolver.address, allow).allowed) {
    const message =
      'the address of the resolver is not public: private, local and reserved ranges are refused'
    return problem('resolver', 'address', message)
  }
  if (resolver.port !== dnsPort && !allow.covers(resolver.address)) {
    return problem('resolver', 'dns_resolver_port', 'the port of the resolver must be 53')
  }
  return { ok: true, resolver }
}

/**
 * Parses `ip`, `ip:port`, `[ip6]` or `[ip6]:port`, the forms of settings and of `dns.getServers()`.
 * @returns null for anything else
 */
export const parseResolverAddress = (text: string): ResolverAddress | null => {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text)
  const address = isIPv6(text) ? text : (match?.[1] ?? match?.[2] ?? '')
  const bracketed = match?.[1] !== undefined
  const port = Number(match?.[3] ?? dnsPort)
  if (port < 1 || port > 65_535) return null
  if (isIPv4(address)) return bracketed ? null : { address, port }
  return isIPv6(address) ? { address: canonicalIpv6(address), port } : null
}

/** An address with a zone id stays unchanged. */
export const canonicalIpv6 = (address: string): string =>
  address.includes('%') ? address : new SocketAddress({ address, family: 'ipv6' }).address

/**
 * Whether a name is internal: a reserved suffix, a single label, or the reverse zone of a denied address. The agents'
 * own resolvers could reveal private data about it.
 */
export const isInternalName = (name: string, allow: AllowList): boolean => {
  const host = parseHost(name, { allow })
  if (!host.ok && internalRules.has(host.problem.rule)) return true
  const first = firstAddressOfReverseZone(name)
  return first !== null && !classifyAddress(first, allow).allowed
}

const internalRules: ReadonlySet<string> = new Set(['host_internal', 'host_localhost', 'host_single_label'])

/** `10.in-addr.arpa` starts at 10.0.0.0; null for a name outside reverse zones. */
const firstAddressOfReverseZone = (name: string): string | null => {
  const ipv4 = /(?:^|\.)((?:\d{1,3}\.){1,4})in-addr\.arpa$/.exec(name)?.[1]
  if (ipv4 !== undefined) {
    const bytes = ipv4.slice(0, -1).split('.').toReversed()
    return [...bytes, '0', '0', '0'].slice(0, 4).map(Number).join('.')
  }
  const ipv6 = /(?:^|\.)((?:[0-9a-f]\.){1,32})ip6\.arpa$/.exec(name)?.[1]
  if (ipv6 === undefined) return null
  const digits = ipv6.split('.').toReversed().join('').padEnd(32, '0')
  return canonicalIpv6(digits.match(/.{4}/g)?.join(':') ?? '::')
}
