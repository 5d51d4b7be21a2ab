import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parseAllowList } from './address.ts'

/** Hosts and addresses whose owners opted out of probes (`BLOCKED_TARGETS`). */
export type DenyList = {
  /** The configured entries, unchanged. */
  readonly entries: readonly string[]
  /** @param host a name in lower-case A-labels without a trailing dot, or an IP literal */
  coversHost(host: string): boolean
  /** Whether an IP literal lies in one of the ranges. */
  coversAddress(ip: string): boolean
}

/** The empty deny list. */
export const denyNothing: DenyList = {
  entries: [],
  coversHost: () => false,
  coversAddress: () => false,
}

/** The error of a check or channel with a target on the deny list. */
export const deniedMessage = 'the owner of the target asked not to be probed'

export const denyEntriesMax = 10_000

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** A name in the form of requests; null for an invalid name or a single label. */
const toName = (text: string): string | null => {
  const name = domainToASCII(text.replace(/^\*?\./, '').replace(/\.$/, '')).toLowerCase()
  const labels = name.split('.')
  return name.length <= 253 && labels.length > 1 && labels.every((each) => label.test(each)) ? name : null
}

const isRange = (text: string): boolean => isIP(text.split('/')[0] ?? '') !== 0

/**
 * Parses the deny list: CIDRs, addresses, and names including their subdomains (S-3604). @returns the list, or one
 * problem per invalid entry
 */
export const parseDenyList = (
  entries: readonly string[],
): { ok: true; deny: DenyList } | { ok: false; problems: string[] } => {
  const given = entries.map((text) => text.trim())
  if (given.length > denyEntriesMax) {
    return { ok: false, problems: [`there are more than ${denyEntriesMax} entries`] }
  }
  const ranges = parseAllowList(given.filter(isRange))
  const named = given.filter((text) => !isRange(text)).map((text) => ({ text, name: toName(text) }))
  const problems = [
    ...(ranges.ok ? [] : ranges.problems),
    ...named
      .filter(({ name }) => name === null)
      .map(({ text }) => `${JSON.stringify(text)} is neither a domain name nor a CIDR`),
  ]
  if (problems.length > 0 || !ranges.ok) return { ok: false, problems }
  const names = new Set(named.flatMap(({ name }) => name ?? []))
  const coversAddress = (ip: string): boolean => ranges.allow.covers(ip)
  return {
    ok: true,
    deny: {
      entries: given,
      coversAddress,
      coversHost: (host) => (isIP(host) === 0 ? isBelow(host, names) : coversAddress(host)),
    },
  }
}

const isBelow = (host: string, names: ReadonlySet<string>): boolean => {
  if (names.size === 0) return false
  for (let rest = host; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (names.has(rest)) return true
    if (!rest.includes('.')) return false
  }
  return false
}
