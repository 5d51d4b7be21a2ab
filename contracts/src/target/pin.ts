import { SocketAddress, isIPv4, isIPv6 } from 'node:net'
import { classifyAddress } from './address.ts'
import type { AllowList } from './address.ts'

/** Where a connection goes: one address, and the others to try where it does not connect, in their order. */
export type Pin = { address: string; others: readonly string[] }

/** Tried beside the first: the other family's first, then the second of each. */
const othersMax = 3

const addressesMax = 32

/** One text for every refused address: no oracle of what lies behind it. */
export const unsafeAddressText = 'the target address is not allowed'

/**
 * The one of a name's addresses to connect to (S-3602). One address that
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
  if (addresses.length > addressesMax || !addresses.every(safe)) return null
  if (addresses.length === 1) return { address: addresses[0] ?? '', others: [] }
  const families = [addresses.filter(isIPv4), addresses.filter(isIPv6)]
  const inTurn = [0, 1].flatMap((n) => families.flatMap((family) => family[n] ?? []))
  const [first, ...others] = new Set(inTurn)
  return first === undefined ? null : { address: first, others: others.slice(0, othersMax) }
}

/** Whether a socket's peer is the pinned address, however either is written. */
export const isPinned = (remote: string, pin: string): boolean =>
  remote === pin || (isIPv6(remote) && isIPv6(pin) && canonicalIpv6(remote) === canonicalIpv6(pin))

const canonicalIpv6 = (address: string): string =>
  new SocketAddress({ address, family: 'ipv6' }).address
