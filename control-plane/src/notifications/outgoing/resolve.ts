import { codeOf } from '@probe-mesh/runtime/errors'
import { promises as dns } from 'node:dns'
import { networkInterfaces } from 'node:os'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { isAbsentInside, type ZoneResolver } from '@probe-mesh/contracts/target/internal-zone'
import { choosePin } from '@probe-mesh/contracts/target/pin'
import { isLocalhost, loopbackAllowed, type Target } from '@probe-mesh/contracts/target/target'

export type Resolver = ZoneResolver

const queryTimeoutMs = 2_000

export const createResolver = (): Resolver => new dns.Resolver({ timeout: queryTimeoutMs, tries: 2 })

/**
 * Resolves a name at every send, checks all its addresses, and picks one to connect to.
 * @throws the resolver's error when neither address family has an answer
 * @returns null when the name is not allowed or exists only in the internal network, `denied` when one of
 *   its addresses is on the deny list
 */
export const resolvePin = async (
  { host, literal }: Pick<Target, 'host' | 'literal'>,
  { allow, deny, resolver }: { allow: AllowList; deny: DenyList; resolver: Resolver },
): Promise<string | null> => {
  const addresses = await addressesOf(host, literal, allow, resolver)
  const pin = choosePin(addresses, { allow, own: ownAddresses() })
  // an unsafe address reveals nothing about the deny list
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
  const failures = families.flatMap((family) => (family.status === 'rejected' ? family.reason : []))
  // refused like an existing name: otherwise tests of channels would reveal internal names
  if (failures.some(isAbsence) && (await isAbsentInside(host, resolver, allow))) return []
  throw failures[0] ?? new Error('the host name has no address')
}

const absent = new Set(['ENOTFOUND', 'ENODATA'])

const isAbsence = (error: unknown): boolean => absent.has(codeOf(error))

const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((one) => one.address)))
