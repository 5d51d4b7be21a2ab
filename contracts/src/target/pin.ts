import { SocketAddress, isIPv4, isIPv6 } from 'node:net'
import { classifyAddress, type AllowList } from './address.ts'

/** The address of a connection, and the fallback addresses in order. */
export type Pin = { address: string; others: readonly string[] }

/** Fallback addresses: the first of the other family, then the second of each. */
const othersMax = 3

const addressesMax = 32

/** The same text for all refused addresses, so that it reveals nothing about internal networks. */
export const unsafeAddressText = 'the target address is not allowed'

/**
 * Chooses the address of a name to connect to (S-3602). One address that is not allowed refuses the whole name:
 * DNS rebinding uses such mixed answers.
 * @param own addresses of this machine's interfaces, refused unless the operator allowed them
 * @returns null when the name is not allowed as a target
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

/** Whether a socket's peer is the pinned address, in any notation. */
export const isPinned = (remote: string, pin: string): boolean =>
  remote === pin || (isIPv6(remote) && isIPv6(pin) && canonicalIpv6(remote) === canonicalIpv6(pin))

const canonicalIpv6 = (address: string): string => new SocketAddress({ address, family: 'ipv6' }).address
