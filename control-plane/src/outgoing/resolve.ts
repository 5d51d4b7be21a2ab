import { promises as dns } from 'node:dns'
import { networkInterfaces } from 'node:os'
import type { AllowList } from '@probe-mesh/contracts/address'
import type { DenyList } from '@probe-mesh/contracts/deny-list'
import { choosePin } from '@probe-mesh/contracts/pin'
import { isLocalhost, loopbackAllowed } from '@probe-mesh/contracts/target'
import type { Target } from '@probe-mesh/contracts/target'

/** The part of a c-ares resolver that is used: what it finds, or an error with a DNS code. */
export type Resolver = {
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
}

const queryTimeoutMs = 2_000

export const createResolver = (): Resolver =>
  new dns.Resolver({ timeout: queryTimeoutMs, tries: 2 })

/**
 * The address to connect to: every address of the name is judged, at every send, and one pinned.
 * @throws the resolver's error where neither family has an answer
 * @returns null where the name is no target, `denied` where one of its addresses is on the deny list
 */
export const resolvePin = async (
  { host, literal }: Pick<Target, 'host' | 'literal'>,
  { allow, deny, resolver }: { allow: AllowList; deny: DenyList; resolver: Resolver },
): Promise<string | null> => {
  const addresses = await addressesOf(host, literal, allow, resolver)
  const pin = choosePin(addresses, { allow, own: ownAddresses() })
  // an unsafe address says nothing of the deny list
  if (pin === null) return null
  return addresses.some(deny.coversAddress) ? 'denied' : pin.address
}

const addressesOf = async (
  host: string,
  literal: Target['literal'],
  allow: AllowList,
  resolver: Resolver,
): Promise<string[]> => {
  if (literal !== 0) return [host]
  if (isLocalhost(host)) return loopbackAllowed(allow)
  const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
  if (found.length > 0) return found
  const failed = families.find((family) => family.status === 'rejected')
  throw failed?.reason ?? new Error('the host name has no address')
}

const ownAddresses = (): ReadonlySet<string> =>
  new Set(
    Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((one) => one.address)),
  )
