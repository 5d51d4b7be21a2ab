import { isIP } from 'node:net'

/** Maximum number of announced addresses of an agent. */
export const publicAddressesMax = 16

/**
 * Parses the public source addresses of an agent: addresses, or CIDRs of a gateway. They are configured, not
 * detected, since operators of targets add them to their firewalls.
 * @returns the entries unchanged, or one problem per invalid entry
 */
export const parsePublicAddresses = (
  entries: readonly string[],
): { ok: true; value: readonly string[] } | { ok: false; problems: string[] } => {
  const problems = entries
    .filter((text) => !isAddressOrRange(text))
    .map((text) => `${JSON.stringify(text)} is neither an address nor a CIDR`)
  if (entries.length > publicAddressesMax) {
    problems.push(`has more than ${publicAddressesMax} addresses`)
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: [...new Set(entries)] }
}

const isAddressOrRange = (text: string): boolean => {
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: null, 4: 32, 6: 128 }[isIP(address)] ?? null
  if (bits === null || address.includes('%') || more.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
}
