import { isIP } from 'node:net'
import { isPrivateRegion } from '../reading/private-region.ts'
import type { Region } from '../reading/regions.ts'
import { allowListOf, classifyAddress, parseCidr, type AddressRule, type AllowList } from './address.ts'

/** Kinds of addresses that a range can allow. Others need an entry for the single address. */
const allowedByRange: ReadonlySet<AddressRule> = new Set([
  'private',
  'carrier_grade_nat',
  'benchmarking',
  'documentation',
])
/** RFC 4193: private networks of IPv6. */
const uniqueLocal = allowListOf(['fc00::/7'])
/** Cloud metadata addresses in that range, which serve credentials. */
const metadataIpv6 = allowListOf(['fd00:ec2::254/128', 'fd20:ce::254/128'])

const hostCharactersMax = 253
const hostForm = /^(?=.*[a-z_-])[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/
const entriesMax = 1_000

/**
 * Parses the non-public targets that the owner of a private agent allows (`PRIVATE_TARGETS`). It is set only on the
 * agent's machine; no message can extend it. A range allows the private networks in it. Loopback, link-local and
 * metadata addresses, and the machine's own addresses, need their own entries. A name allows the name; its addresses
 * must be allowed too (S-2905, S-2906).
 * @param entries addresses, CIDRs and host names
 * @returns the list, or one problem per invalid entry
 */
export const parsePrivateTargets = (
  entries: readonly string[],
): { ok: true; allow: AllowList } | { ok: false; problems: string[] } => {
  if (entries.length > entriesMax) {
    return { ok: false, problems: [`has more than ${entriesMax} targets`] }
  }
  const parsed = entries.map((entry) => parseEntry(entry.trim().toLowerCase()))
  const problems = parsed.flatMap((entry) => ('problem' in entry ? entry.problem : []))
  if (problems.length > 0) return { ok: false, problems }
  const literals = allowListOf(parsed.flatMap((entry) => ('literal' in entry ? entry.literal : [])))
  const ranges = allowListOf(parsed.flatMap((entry) => ('range' in entry ? entry.range : [])))
  const names = new Set(parsed.flatMap((entry) => ('name' in entry ? entry.name : [])))
  const allow: AllowList = {
    cidrs: [...literals.cidrs, ...ranges.cidrs],
    covers: (ip) => literals.covers(ip) || (ranges.covers(ip) && isPrivateNetwork(ip)),
    coversOwn: literals.covers,
    opensName: (host) => names.has(host.toLowerCase().replace(/\.$/, '')),
    ofAccount: () => allow,
  }
  return { ok: true, allow }
}

type Entry = { literal: string } | { range: string } | { name: string } | { problem: string }

const parseEntry = (text: string): Entry => {
  const cidr = parseCidr(text)
  if (cidr !== null) return parseRange(text, cidr)
  if (text === 'localhost' || text.endsWith('.localhost')) {
    return { problem: `${text} is loopback: use the address, such as 127.0.0.1` }
  }
  const name = text.replace(/\.$/, '')
  if (name.length <= hostCharactersMax && hostForm.test(name)) return { name }
  return { problem: `${JSON.stringify(text)} is not an address, CIDR or host name` }
}

const parseRange = (text: string, cidr: string): Entry => {
  const [network = '', bits = ''] = cidr.split('/')
  if (Number(bits) === (isIP(network) === 4 ? 32 : 128)) return { literal: cidr }
  const verdict = classifyAddress(network)
  if (verdict.allowed || isPrivateNetwork(network)) return { range: cidr }
  return { problem: `${text} is not a private network: list each address separately` }
}

const isPrivateNetwork = (ip: string): boolean => {
  const verdict = classifyAddress(ip)
  if (verdict.allowed || allowedByRange.has(verdict.rule)) return true
  return uniqueLocal.covers(ip) && !metadataIpv6.covers(ip)
}

/**
 * The rule for targets of a private agent, at save. It accepts all well-formed targets, since only the agent knows
 * its allowed targets and checks every run.
 */
export const agentDecides: AllowList = {
  cidrs: [],
  covers: (ip) => isIP(ip) !== 0 && !ip.includes('%'),
  coversOwn: () => true,
  opensName: () => true,
  ofAccount: () => agentDecides,
}

/**
 * Which targets a check may have when it is saved. A private agent decides for itself which addresses it may reach, at
 * every run.
 */
export const targetRuleOf = (regions: readonly Region[] | undefined, targetAllow: AllowList): AllowList =>
  regions?.some(isPrivateRegion) === true ? agentDecides : targetAllow
