import type { SeenCertificate } from '@probe-mesh/contracts/certificate'
import type { Target } from '@probe-mesh/contracts/target'
import { noTimings } from '@probe-mesh/contracts/timings'
import type { Timings } from '@probe-mesh/contracts/timings'
import { connect } from './connect.ts'
import type { Connection, Secure } from './connect.ts'
import { pinAddress } from './guard.ts'
import type { Guard } from './guard.ts'
import type { Failure } from './outcome.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** What is known of the way to a target, filled in as it is gone. */
export type Way = {
  timings: Timings
  /** The address connected to last; null where there was none. */
  address: string | null
  /** When the certificate seen expires, Unix ms. */
  certificateExpiresAt: number | null
  /** What else it says. */
  certificate: SeenCertificate | null
}

export const newWay = (): Way => ({
  timings: { ...noTimings },
  address: null,
  certificateExpiresAt: null,
  certificate: null,
})

/** Whether the way led to an address that the operator opened. */
export const isLocal = ({ address }: Way, { allow }: Pick<Guard, 'allow'>): boolean =>
  address !== null && allow.covers(address)

/**
 * A fresh connection to a host and port that passed their rule: all addresses resolved and judged,
 * one pinned (reliability.md B.2, steps 4 to 6). An IPv6 address is tried only where the probe has
 * no IPv4 route.
 * @param secure null for plain TCP
 * @param way receives the address and the times, ms
 */
export const reach = async (
  { host, literal, port }: Pick<Target, 'host' | 'literal' | 'port'>,
  secure: Secure | null,
  way: Way,
  stop: Stop,
  guard: Guard,
): Promise<Connection | { failure: Failure }> => {
  const resolvedAt = performance.now()
  const pinned = await unlessStopped(pinAddress({ host, literal }, guard), stop)
  if (!pinned.ok) return pinned
  if (literal === 0) way.timings.dnsMs = roundMs(performance.now() - resolvedAt)

  const to = async (address: string) => {
    way.address = address
    const options = { local: guard.allow.covers(address), stop }
    const result = await connect({ address, port }, secure, options)
    way.timings.connectMs = result.connectMs
    way.certificateExpiresAt = result.certificateExpiresAt
    way.certificate = result.certificate
    if ('tlsMs' in result) way.timings.tlsMs = result.tlsMs
    return result
  }
  const first = await to(pinned.pin.address)
  const unroutable = 'failure' in first && first.failure.cause === 'no_route'
  const { withoutIpv4 } = pinned.pin
  return unroutable && withoutIpv4 !== null ? to(withoutIpv4) : first
}

/** The wait for names ends with the deadline; the resolver bounds its own work. */
const unlessStopped = <T>(
  work: Promise<T>,
  stop: Stop,
): Promise<T | { ok: false; failure: Failure }> =>
  new Promise((resolve, reject) => {
    stop.during(() => resolve({ ok: false, failure: stop.failure('dns') }))
    work.then(resolve, reject)
  })
