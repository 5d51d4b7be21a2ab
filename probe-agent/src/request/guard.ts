import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { choosePin } from '@probe-mesh/contracts/target/pin'
import type { Pin } from '@probe-mesh/contracts/target/pin'
import { isLocalhost, loopbackAllowed } from '@probe-mesh/contracts/target/target'
import type { Target } from '@probe-mesh/contracts/target/target'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import { askedTooOften, deniedTarget, unsafeTarget } from './failure.ts'
import type { Failure } from './outcome.ts'
import { isRefusedAbsent, resolveName } from './resolve.ts'
import type { Resolver } from './resolve.ts'

export type Guard = {
  allow: AllowList
  resolver: Resolver
  /** Addresses of this machine's own interfaces: refused, unless the operator opened them. */
  ownAddresses: () => ReadonlySet<string>
  /** What does not want to be probed. */
  deny: DenyList
  /** Whether the agent runs in its account's own network, and may tell which names exist there. */
  isOwnNetwork?: boolean
  /** Counts a connection to an address. @returns false where it is asked too often already */
  spend: (address: string) => boolean
  /** Room for large response headers, to be released; null where there is none. */
  largeHead: () => Place | null
}

/** What decides where a probe may ask. */
export type AddressGuard = Omit<Guard, 'largeHead'>

/** What an agent guards for all accounts: each has a share of how often an address is asked. */
export type SharedGuard = Omit<Guard, 'spend' | 'largeHead'> & {
  spend: (address: string, accountId: string) => boolean
  largeHead: (accountId: string) => Place | null
}

/** What of it is an account's own. */
export const guardOfAccount = (
  guard: Pick<SharedGuard, 'allow' | 'spend' | 'largeHead'>,
  accountId: string,
): Pick<Guard, 'allow' | 'spend' | 'largeHead'> => ({
  allow: guard.allow.ofAccount(accountId),
  spend: (address) => guard.spend(address, accountId),
  largeHead: () => guard.largeHead(accountId),
})

/**
 * Finds the address of an allowed URL, or refuses it (S-3602). An address that
 * is asked too often is no address for now, but where the operator opened it.
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
    return { ok: false, failure: askedTooOften }
  }
  return { ok: true, pin }
}

/** Whether another of a pin's addresses may be connected to as well: each connection is counted. */
export const mayTryToo = (
  address: string,
  { allow, spend }: Pick<Guard, 'allow' | 'spend'>,
): boolean => allow.covers(address) || spend(address)
