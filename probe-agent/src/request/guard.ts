import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { choosePin } from '@probe-mesh/contracts/target/pin'
import type { Pin } from '@probe-mesh/contracts/target/pin'
import { isLocalhost, loopbackAllowed } from '@probe-mesh/contracts/target/target'
import type { Target } from '@probe-mesh/contracts/target/target'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import { targetRateExceeded, deniedTarget, unsafeTarget } from './failure.ts'
import type { Failure } from './outcome.ts'
import { isRefusedAbsent, resolveName } from './resolve.ts'
import type { Resolver } from './resolve.ts'

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

/**
 * Finds the address of an allowed URL, or refuses it (S-3602). The connection limit does not apply
 * to addresses that the operator allowed.
 */
export const pinAddress = async (
  target: Pick<Target, 'host' | 'literal'>,
  guard: AddressGuard,
): Promise<{ ok: true; pin: Pin } | { ok: false; failure: Failure }> => {
  if (guard.deny.coversHost(target.host)) return { ok: false, failure: deniedTarget }
  if (target.literal !== 0) return choose([target.host], guard)
  if (isLocalhost(target.host)) return choose(loopbackAllowed(guard.allow), guard)
  const resolved = await resolveName(target.host, guard.resolver)
  if (resolved.ok) return choose(resolved.addresses, guard)
  const isInside = await isRefusedAbsent(target.host, resolved.failure, guard)
  return isInside ? { ok: false, failure: unsafeTarget } : resolved
}

const choose = (
  addresses: readonly string[],
  { allow, ownAddresses, deny, spend }: AddressGuard,
): { ok: true; pin: Pin } | { ok: false; failure: Failure } => {
  const pin = choosePin(addresses, { allow, own: ownAddresses() })
  if (pin === null) return { ok: false, failure: unsafeTarget }
  if (addresses.some(deny.coversAddress)) return { ok: false, failure: deniedTarget }
  if (!allow.covers(pin.address) && !spend(pin.address)) {
    return { ok: false, failure: targetRateExceeded }
  }
  return { ok: true, pin }
}

/** Whether another address of a pin may be connected as well: each connection counts. */
export const mayTryOther = (address: string, { allow, spend }: Pick<Guard, 'allow' | 'spend'>): boolean =>
  allow.covers(address) || spend(address)
