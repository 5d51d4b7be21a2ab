import { SocketAddress, isIPv4, isIPv6 } from 'node:net'
import { classifyAddress } from './address.ts'
import type { AllowList } from './address.ts'

/** Where a connection goes: one address, and an IPv6 one for a machine without an IPv4 route. */
export type Pin = { address: string; withoutIpv4: string | null }

const addressesMax = 32

/** One text for every refused address: no oracle of what lies behind it. */
export const unsafeAddressText = 'the target address is not allowed'

/**
 * The one of a name's addresses to connect to (reliability.md B.2, steps 4 and 5). One address that
 * is no target makes all of them unsafe: a mixed answer is how a name is rebound from a public to an
 * internal address.
 * @param own addresses of this machine's interfaces: refused, unless the operator opened them
 * @returns null where the name is no target
 */
export const choosePin = (
  addresses: readonly string[],
  { allow, own }: { allow: AllowList; own: ReadonlySet<string> },
): Pin | null => {
  const safe = (ip: string): boolean =>
    classifyAddress(ip, allow).allowed && (!own.has(ip) || allow.coversOwn(ip))
  const ipv6 = addresses.find(isIPv6) ?? null
  const first = addresses.find(isIPv4) ?? ipv6
  if (first === null || addresses.length > addressesMax || !addresses.every(safe)) return null
  return { address: first, withoutIpv4: first === ipv6 ? null : ipv6 }
}

/** Whether a socket's peer is the pinned address, however either is written. */
export const isPinned = (remote: string, pin: string): boolean =>
  remote === pin || (isIPv6(remote) && isIPv6(pin) && canonicalIpv6(remote) === canonicalIpv6(pin))

const canonicalIpv6 = (address: string): string =>
  new SocketAddress({ address, family: 'ipv6' }).address
