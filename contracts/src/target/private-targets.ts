import { isIP } from 'node:net'
import { allowListOf, classifyAddress, parseCidr } from './address.ts'
import type { AddressRule, AllowList } from './address.ts'

/** What a range opens: networks of one's own. Anything else that is not public is named by itself. */
const openedByRange: ReadonlySet<AddressRule> = new Set([
  'private',
  'carrier_grade_nat',
  'benchmarking',
  'documentation',
])
/** RFC 4193: the networks of one's own of IPv6. */
const uniqueLocal = allowListOf(['fc00::/7'])
/** Where clouds answer with credentials inside of that. */
const metadataIpv6 = allowListOf(['fd00:ec2::254/128', 'fd20:ce::254/128'])

const hostCharactersMax = 253
const hostForm = /^(?=.*[a-z_-])[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/
const entriesMax = 1_000

/**
 * What the owner of a private agent lets it reach although it is not public (`PRIVATE_TARGETS`), told on the
 * agent's own machine: nothing that comes from elsewhere widens it. A range opens the networks of one's own
 * that lie in it; loopback, link-local and metadata addresses, and the machine's own, are opened only where
 * they are named themselves. A name opens the name: where it leads must be open too (S-2905, S-2906).
 * @param entries addresses, CIDRs and host names
 * @returns the list, or one problem for each entry that cannot be taken
 */
export const parsePrivateTargets = (
  entries: readonly string[],
): { ok: true; allow: AllowList } | { ok: false; problems: string[] } => {
  if (entries.length > entriesMax) {
    return { ok: false, problems: [`names more than ${entriesMax} targets`] }
  }
  const parsed = entries.map((entry) => parseEntry(entry.trim().toLowerCase()))
  const problems = parsed.flatMap((entry) => ('problem' in entry ? entry.problem : []))
  if (problems.length > 0) return { ok: false, problems }
  const literals = allowListOf(parsed.flatMap((entry) => ('literal' in entry ? entry.literal : [])))
  const ranges = allowListOf(parsed.flatMap((entry) => ('range' in entry ? entry.range : [])))
  const names = new Set(parsed.flatMap((entry) => ('name' in entry ? entry.name : [])))
  const allow: AllowList = {
    cidrs: [...literals.cidrs, ...ranges.cidrs],
    covers: (ip) => literals.covers(ip) || (ranges.covers(ip) && isOfOwnNetwork(ip)),
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
    return { problem: `${text} is loopback: name the address itself, such as 127.0.0.1` }
  }
  const name = text.replace(/\.$/, '')
  if (name.length <= hostCharactersMax && hostForm.test(name)) return { name }
  return { problem: `${JSON.stringify(text)} is no address, CIDR or host name` }
}

const parseRange = (text: string, cidr: string): Entry => {
  const [network = '', bits = ''] = cidr.split('/')
  if (Number(bits) === (isIP(network) === 4 ? 32 : 128)) return { literal: cidr }
  const verdict = classifyAddress(network)
  if (verdict.allowed || isOfOwnNetwork(network)) return { range: cidr }
  return { problem: `${text} is no network of one's own: name each address in it by itself` }
}

const isOfOwnNetwork = (ip: string): boolean => {
  const verdict = classifyAddress(ip)
  if (verdict.allowed || openedByRange.has(verdict.rule)) return true
  return uniqueLocal.covers(ip) && !metadataIpv6.covers(ip)
}

/**
 * The rule for a target that a private agent is to reach, where it is saved: what is well-formed is
 * taken, since the agent alone knows what it may reach, and judges every run.
 */
export const agentDecides: AllowList = {
  cidrs: [],
  covers: (ip) => isIP(ip) !== 0 && !ip.includes('%'),
  coversOwn: () => true,
  opensName: () => true,
  ofAccount: () => agentDecides,
}
