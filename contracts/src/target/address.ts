import { BlockList, isIP, isIPv4 } from 'node:net'
import { createRecent } from '@probe-mesh/runtime/recent'

/** The kind of an address that is not a public target. */
export type AddressRule =
  | 'not_an_address'
  | 'cloud_metadata'
  | 'this_network'
  | 'private'
  | 'carrier_grade_nat'
  | 'loopback'
  | 'link_local'
  | 'protocol_assignments'
  | 'documentation'
  | 'anycast_service'
  | 'benchmarking'
  | 'multicast'
  | 'reserved'
  | 'tunnel'
  | 'not_global'

type AddressVerdict = { allowed: true } | { allowed: false; rule: AddressRule }

/** Non-public targets that the operator allows (`TARGET_ALLOW`, `PRIVATE_TARGETS`). */
export type AllowList = {
  readonly cidrs: readonly string[]
  /** Whether an IP literal is in one of the ranges; false for other text. */
  covers(ip: string): boolean
  /** The same for an address of the probe's own machine, which some lists allow only by a single entry. */
  coversOwn(ip: string): boolean
  /** Whether an internal host name is allowed. Its addresses are checked separately. */
  opensName(host: string): boolean
  /** The list for one account. The same list when no entry has an account. */
  ofAccount(accountId: string): AllowList
}

/**
 * Denied IPv4 ranges: the IANA IPv4 special-purpose registry and fixed addresses of clouds, most specific first.
 */
export const deniedIpv4 = [
  { cidr: '169.254.169.254/32', rule: 'cloud_metadata' },
  { cidr: '169.254.169.253/32', rule: 'cloud_metadata' },
  { cidr: '169.254.170.2/32', rule: 'cloud_metadata' },
  { cidr: '100.100.100.200/32', rule: 'cloud_metadata' },
  { cidr: '192.0.0.192/32', rule: 'cloud_metadata' },
  { cidr: '168.63.129.16/32', rule: 'cloud_metadata' },
  { cidr: '0.0.0.0/8', rule: 'this_network' },
  { cidr: '10.0.0.0/8', rule: 'private' },
  { cidr: '100.64.0.0/10', rule: 'carrier_grade_nat' },
  { cidr: '127.0.0.0/8', rule: 'loopback' },
  { cidr: '169.254.0.0/16', rule: 'link_local' },
  { cidr: '172.16.0.0/12', rule: 'private' },
  { cidr: '192.0.0.0/24', rule: 'protocol_assignments' },
  { cidr: '192.0.2.0/24', rule: 'documentation' },
  { cidr: '192.31.196.0/24', rule: 'anycast_service' },
  { cidr: '192.52.193.0/24', rule: 'anycast_service' },
  { cidr: '192.88.99.0/24', rule: 'tunnel' },
  { cidr: '192.168.0.0/16', rule: 'private' },
  { cidr: '192.175.48.0/24', rule: 'anycast_service' },
  { cidr: '198.18.0.0/15', rule: 'benchmarking' },
  { cidr: '198.51.100.0/24', rule: 'documentation' },
  { cidr: '203.0.113.0/24', rule: 'documentation' },
  { cidr: '224.0.0.0/4', rule: 'multicast' },
  { cidr: '240.0.0.0/4', rule: 'reserved' },
] as const satisfies readonly { cidr: string; rule: AddressRule }[]

/** Global unicast IPv6. All other IPv6 is denied. */
export const globalIpv6 = '2000::/3'

/** Denied IPv6 ranges inside 2000::/3. */
export const deniedIpv6 = [
  { cidr: '2001:db8::/32', rule: 'documentation' },
  { cidr: '2001::/32', rule: 'tunnel' },
  { cidr: '2001:2::/48', rule: 'benchmarking' },
  { cidr: '2001::/23', rule: 'protocol_assignments' },
  { cidr: '2002::/16', rule: 'tunnel' },
  { cidr: '2620:4f:8000::/48', rule: 'anycast_service' },
  { cidr: '3fff::/20', rule: 'documentation' },
] as const satisfies readonly { cidr: string; rule: AddressRule }[]

const familyOf = (ip: string): 'ipv4' | 'ipv6' => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/** Addresses whose answer a list remembers. */
const knownMax = 1_000

type Matcher = { check(ip: string, family: 'ipv4' | 'ipv6'): boolean }

/** Its list is built by the first check: short programs such as the Terraform provider check no address. */
const matcher = (cidrs: readonly string[]): Matcher => {
  let list: BlockList | null = null
  // a probe asks several times for each connection, and Node makes an object for each question
  const known = createRecent<boolean>(knownMax)
  return {
    check: (ip, family) => {
      const before = known.get(ip)
      if (before !== undefined) return before
      list ??= blockListOf(cidrs)
      const found = list.check(ip, family)
      known.set(ip, found)
      return found
    },
  }
}

const blockListOf = (cidrs: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/')
    list.addSubnet(network, Number(prefix), familyOf(network))
  }
  return list
}

const allDeniedIpv4 = matcher(deniedIpv4.map((row) => row.cidr))
const allDeniedIpv6 = matcher(deniedIpv6.map((row) => row.cidr))
const allGlobalIpv6 = matcher([globalIpv6])
const rows = [...deniedIpv4, ...deniedIpv6].map(({ cidr, rule }) => ({ rule, of: matcher([cidr]) }))

/**
 * Whether an address is allowed as a target (S-3601): public unicast, or allowed by the operator. Accepts textual
 * IPv4 and IPv6 without a zone id.
 */
export const classifyAddress = (ip: string, allow: AllowList = allowNothing): AddressVerdict => {
  if (isIP(ip) === 0 || ip.includes('%')) return { allowed: false, rule: 'not_an_address' }
  const family = familyOf(ip)
  const denied = family === 'ipv4' ? allDeniedIpv4 : allDeniedIpv6
  const outside = family === 'ipv6' && !allGlobalIpv6.check(ip, family)
  if ((!outside && !denied.check(ip, family)) || allow.covers(ip)) return { allowed: true }
  if (outside) return { allowed: false, rule: 'not_global' }
  return { allowed: false, rule: rows.find((row) => row.of.check(ip, family))?.rule ?? 'reserved' }
}

/**
 * Parses the operator's CIDRs and single addresses.
 * @returns the list, or one problem per invalid entry
 */
export const parseAllowList = (
  cidrs: readonly string[],
): { ok: true; allow: AllowList } | { ok: false; problems: string[] } => {
  const parsed = cidrs.map((text) => ({ text, cidr: parseCidr(text.trim()) }))
  const problems = parsed
    .filter(({ cidr }) => cidr === null)
    .map(({ text }) => `${JSON.stringify(text)} is not a CIDR, such as 10.0.0.0/8 or fd00::/8`)
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, allow: allowListOf(parsed.flatMap(({ cidr }) => cidr ?? [])) }
}

/** The canonical form of a CIDR or single address; null when invalid. */
export const parseCidr = (text: string): string | null => {
  const match = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text)
  const network = match?.[1] ?? ''
  const bits = { 0: null, 4: 32, 6: 128 }[isIP(network)] ?? null
  if (bits === null) return null
  const prefix = match?.[2] === undefined ? bits : Number(match[2])
  return prefix > bits ? null : `${network}/${prefix}`
}

/** @param cidrs valid CIDRs with prefixes. IPv4 has its own list, since one list would match IPv4-mapped IPv6 too. */
export const allowListOf = (cidrs: readonly string[]): AllowList => {
  const isV4 = (cidr: string): boolean => isIPv4(cidr.split('/')[0] ?? '')
  const lists = {
    ipv4: matcher(cidrs.filter(isV4)),
    ipv6: matcher(cidrs.filter((cidr) => !isV4(cidr))),
  }
  const covers = (ip: string): boolean => {
    if (cidrs.length === 0 || isIP(ip) === 0 || ip.includes('%')) return false
    const family = familyOf(ip)
    return lists[family].check(ip, family)
  }
  const list: AllowList = {
    cidrs,
    covers,
    coversOwn: covers,
    opensName: () => false,
    ofAccount: () => list,
  }
  return list
}

/** The empty allow list. */
export const allowNothing: AllowList = allowListOf([])

/** All that `TARGET_ALLOW` can open: what it refuses, no operator can open. */
export const anyOperator: AllowList = allowListOf(['0.0.0.0/0', '::/0'])
