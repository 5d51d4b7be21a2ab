import type { Target } from '@probe-mesh/contracts/target'
import { noTimings } from '@probe-mesh/contracts/timings'
import type { Timings } from '@probe-mesh/contracts/timings'
import { connect } from '../request/connect.ts'
import type { Connection } from '../request/connect.ts'
import { pinAddress } from '../request/guard.ts'
import type { Guard } from '../request/guard.ts'
import type { Failure } from '../request/outcome.ts'
import { roundMs } from '../request/round.ts'
import type { Stop } from '../request/stop.ts'

/** What is known of the way to a target, filled in as it is gone. */
export type Way = {
  timings: Timings
  /** The address connected to last; null where there was none. */
  address: string | null
  /** Whether that address is one that the operator opened. */
  local: boolean
}

export const newWay = (): Way => ({ timings: { ...noTimings }, address: null, local: false })

/**
 * A plain connection to a host and port that passed the rule of their check: all addresses
 * resolved and judged, one pinned (reliability.md B.2, steps 4 to 6). An IPv6 address is tried only
 * where the probe has no IPv4 route.
 * @param way receives the address and the times, ms
 */
export const reach = async (
  { host, literal, port }: Pick<Target, 'host' | 'literal' | 'port'>,
  way: Way,
  stop: Stop,
  guard: Guard,
): Promise<Connection | { failure: Failure }> => {
  const url = new URL(`tcp://${literal === 6 ? `[${host}]` : host}:${port}`)
  const resolvedAt = performance.now()
  const pinned = await unlessStopped(pinAddress({ url, host, literal, port }, guard), stop)
  if (!pinned.ok) return pinned
  if (literal === 0) way.timings.dnsMs = roundMs(performance.now() - resolvedAt)

  const to = async (address: string) => {
    way.address = address
    way.local = guard.allow.covers(address)
    const result = await connect({ address, port }, null, { local: way.local, stop })
    way.timings.connectMs = result.connectMs
    return result
  }
  const first = await to(pinned.pin.address)
  const unroutable = 'failure' in first && first.failure.cause === 'no_route'
  const { withoutIpv4 } = pinned.pin
  return unroutable && withoutIpv4 !== null ? to(withoutIpv4) : first
}

/** The wait for names ends with the attempt; the resolver bounds its own work. */
const unlessStopped = <T>(
  work: Promise<T>,
  stop: Stop,
): Promise<T | { ok: false; failure: Failure }> =>
  new Promise((resolve, reject) => {
    stop.during(() => resolve({ ok: false, failure: stop.failure('dns') }))
    work.then(resolve, reject)
  })
