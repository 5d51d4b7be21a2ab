import { isIP } from 'node:net'

/** An agent announces no more than this: one machine has few addresses. */
export const publicAddressesMax = 16

/**
 * Reads where an agent's requests come from as targets see them: addresses, or CIDRs where a
 * gateway takes one of a range. Nothing is found out by itself, since what is wrong would be let
 * through by other people's firewalls.
 * @returns them as they are written, or one problem per entry that is none
 */
export const parsePublicAddresses = (
  entries: readonly string[],
): { ok: true; value: readonly string[] } | { ok: false; problems: string[] } => {
  const problems = entries
    .filter((text) => !isAddressOrRange(text))
    .map((text) => `${JSON.stringify(text)} is neither an address nor a CIDR`)
  if (entries.length > publicAddressesMax) {
    problems.push(`names more than ${publicAddressesMax} addresses`)
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: [...new Set(entries)] }
}

const isAddressOrRange = (text: string): boolean => {
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: null, 4: 32, 6: 128 }[isIP(address)] ?? null
  if (bits === null || address.includes('%') || more.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
}
