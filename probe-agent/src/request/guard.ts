import { isIPv4, isIPv6 } from 'node:net'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { choosePin, type Pin } from '@probe-mesh/contracts/target/pin'
import { isLocalhost, loopbackAllowed, type Target } from '@probe-mesh/contracts/target/target'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import { deniedTarget, noIpv4Address, noIpv6Address, targetRateExceeded, unsafeTarget } from './failure.ts'
import type { Failure } from './outcome.ts'
import { isRefusedAbsent, resolveName, type AddressFamily, type Resolver } from './resolve.ts'

export type { AddressFamily }

export type Guard = {
  allow: AllowList
  resolver: Resolver
  /** Addresses of this machine: refused, unless the operator allowed them. */
  ownAddresses: () => ReadonlySet<string>
  /** Targets that opted out. */
  deny: DenyList
  /**
   * Whether the agent runs in its account's own network, and may reveal which names exist there.
   */
  isOwnNetwork?: boolean
  /**
   * Counts a connection to an address.
   * @returns false over the limit
   */
  spend: (address: string) => boolean
  /** Memory for large response headers, to be released; null when exhausted. */
  largeHead: () => Place | null
}

/** The part that decides which addresses a probe may connect to. */
export type AddressGuard = Omit<Guard, 'largeHead'>

/** The guard of an agent for all accounts, each with a share of the connections to an address. */
export type SharedGuard = Omit<Guard, 'spend' | 'largeHead'> & {
  spend: (address: string, accountId: string) => boolean
  largeHead: (accountId: string) => Place | null
}

/** The guard for one account. */
export const guardOfAccount = (
  guard: Pick<SharedGuard, 'allow' | 'spend' | 'largeHead'>,
  accountId: string,
): Pick<Guard, 'allow' | 'spend' | 'largeHead'> => ({
  allow: guard.allow.ofAccount(accountId),
  spend: (address) => guard.spend(address, accountId),
  largeHead: () => guard.largeHead(accountId),
})

/** The address to connect to, and all addresses of the name. */
type Pinned = { ok: true; pin: Pin; addresses: readonly string[] }

/**
 * Finds the address of an allowed URL, or refuses it (S-3602). The connection limit does not apply
 * to addresses that the operator allowed.
 * @param family absent: either
 */
export const pinAddress = async (
  target: Pick<Target, 'host' | 'literal'>,
  guard: AddressGuard,
  family?: AddressFamily,
): Promise<Pinned | { ok: false; failure: Failure }> => {
  if (guard.deny.coversHost(target.host)) return { ok: false, failure: deniedTarget }
  if (target.literal !== 0) return choose([target.host], guard, family)
  if (isLocalhost(target.host)) return choose(loopbackAllowed(guard.allow), guard, family)
  const resolved = await resolveName(target.host, guard.resolver, family)
  if (resolved.ok) return choose(resolved.addresses, guard, family)
  const isInside = await isRefusedAbsent(target.host, resolved.failure, guard)
  return isInside ? { ok: false, failure: unsafeTarget } : resolved
}

const choose = (
  addresses: readonly string[],
  { allow, ownAddresses, deny, spend }: AddressGuard,
  family: AddressFamily | undefined,
): Pinned | { ok: false; failure: Failure } => {
  const own = ownAddresses()
  const any = choosePin(addresses, { allow, own })
  if (any === null) return { ok: false, failure: unsafeTarget }
  if (addresses.some(deny.coversAddress)) return { ok: false, failure: deniedTarget }
  // all are judged, also those of the other family
  const pin = family === undefined ? any : choosePin(addresses.filter(isOf[family]), { allow, own })
  if (pin === null) return { ok: false, failure: family === 'ipv6' ? noIpv6Address : noIpv4Address }
  if (!allow.covers(pin.address) && !spend(pin.address)) {
    return { ok: false, failure: targetRateExceeded }
  }
  return { ok: true, pin, addresses }
}

const isOf: Readonly<Record<AddressFamily, (address: string) => boolean>> = { ipv4: isIPv4, ipv6: isIPv6 }

/**
 * Whether a site that opted out would be asked under one of these names (S-353): each is what a URL or TLS has, also
 * with a dot at its end or in brackets.
 */
export const isDeniedName = (
  names: readonly (string | undefined)[],
  { deny }: Pick<Guard, 'deny'>,
): boolean =>
  names.some(
    (name) =>
      name !== undefined &&
      deny.coversHost(
        name
          .toLowerCase()
          .replace(/^\[(.*)\]$/, '$1')
          .replace(/\.$/, ''),
      ),
  )

/** Whether another address of a pin may be connected as well: each connection counts. */
export const mayTryOther = (address: string, { allow, spend }: Pick<Guard, 'allow' | 'spend'>): boolean =>
  allow.covers(address) || spend(address)
