import { SocketAddress, isIPv4, isIPv6 } from 'node:net'
import { classifyAddress } from '@probe-mesh/contracts/address'
import type { AllowList } from '@probe-mesh/contracts/address'
import { isLocalhost, loopbackAllowed } from '@probe-mesh/contracts/target'
import type { Target } from '@probe-mesh/contracts/target'
import { unsafeTarget } from './failure.ts'
import type { Failure } from './outcome.ts'
import { resolveName } from './resolve.ts'
import type { Resolver } from './resolve.ts'

/** Where a hop connects to: one address, and an IPv6 one for an agent without an IPv4 route. */
export type Pin = { address: string; withoutIpv4: string | null }

export type Guard = {
  allow: AllowList
  resolver: Resolver
  /** Addresses of this machine's own interfaces: refused, unless the operator opened them. */
  ownAddresses: () => ReadonlySet<string>
}

const addressesMax = 32

/** Finds the address of an allowed URL, or refuses it: reliability.md B.2, steps 4 to 6. */
export const pinAddress = async (
  target: Pick<Target, 'host' | 'literal'>,
  guard: Guard,
): Promise<{ ok: true; pin: Pin } | { ok: false; failure: Failure }> => {
  if (target.literal !== 0) return choose([target.host], guard)
  if (isLocalhost(target.host)) return choose(loopbackAllowed(guard.allow), guard)
  const resolved = await resolveName(target.host, guard.resolver)
  return resolved.ok ? choose(resolved.addresses, guard) : resolved
}

/**
 * One address that is no target makes all of them unsafe: a mixed answer is how a name is rebound
 * from a public to an internal address.
 */
const choose = (
  addresses: readonly string[],
  { allow, ownAddresses }: Guard,
): { ok: true; pin: Pin } | { ok: false; failure: Failure } => {
  const own = ownAddresses()
  const safe = (ip: string): boolean =>
    classifyAddress(ip, allow).allowed && (!own.has(ip) || allow.covers(ip))
  const ipv6 = addresses.find(isIPv6) ?? null
  const first = addresses.find(isIPv4) ?? ipv6
  if (first === null || addresses.length > addressesMax || !addresses.every(safe)) {
    return { ok: false, failure: unsafeTarget }
  }
  return { ok: true, pin: { address: first, withoutIpv4: first === ipv6 ? null : ipv6 } }
}

/** Whether a socket's peer is the pinned address, however either is written. */
export const isPinned = (remote: string, pin: string): boolean =>
  remote === pin || (isIPv6(remote) && isIPv6(pin) && canonicalIpv6(remote) === canonicalIpv6(pin))

const canonicalIpv6 = (address: string): string =>
  new SocketAddress({ address, family: 'ipv6' }).address
