import type { AllowList } from '@probe-mesh/contracts/address'
import { choosePin } from '@probe-mesh/contracts/pin'
import type { Pin } from '@probe-mesh/contracts/pin'
import { isLocalhost, loopbackAllowed } from '@probe-mesh/contracts/target'
import type { Target } from '@probe-mesh/contracts/target'
import { unsafeTarget } from './failure.ts'
import type { Failure } from './outcome.ts'
import { resolveName } from './resolve.ts'
import type { Resolver } from './resolve.ts'

export type Guard = {
  allow: AllowList
  resolver: Resolver
  /** Addresses of this machine's own interfaces: refused, unless the operator opened them. */
  ownAddresses: () => ReadonlySet<string>
}

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

const choose = (
  addresses: readonly string[],
  { allow, ownAddresses }: Guard,
): { ok: true; pin: Pin } | { ok: false; failure: Failure } => {
  const pin = choosePin(addresses, { allow, own: ownAddresses() })
  return pin === null ? { ok: false, failure: unsafeTarget } : { ok: true, pin }
}
