import type { X509Certificate } from 'node:crypto'
import type { Target } from '@probe-mesh/contracts/target/target'
import { noTimings, type Timings } from '@probe-mesh/contracts/reading/reading-details'
import type { Pin } from '@probe-mesh/contracts/target/pin'
import { connect, type ConnectFailure, type Connection, type Secure } from './connect.ts'
import { connectAny, type AnyResult, type Begin } from './connect-any.ts'
import { targetRateExceeded, noRoute } from './failure.ts'
import { mayTryOther, pinAddress, type AddressFamily, type Guard } from './guard.ts'
import type { Notes } from './notes.ts'
import type { Failure } from './outcome.ts'
import { roundMs } from './round.ts'
import type { Stop } from './stop.ts'

/** State of a connection attempt, filled in as it proceeds. */
export type Way = {
  timings: Timings
  /** The last connected address; null: none. */
  address: string | null
  /** Expiry of the certificate, Unix ms. */
  certificateExpiresAt: number | null
  /** The certificate itself. */
  certificate: X509Certificate | null
  /** The name being resolved, or not resolved; null: none. */
  unresolved: string | null
  /** Addresses without a route. */
  unroutable: string[]
  /** The addresses of the name, once all are known to be allowed. */
  addresses: readonly string[]
  /** Receives unusual observations; absent: not needed. */
  notes?: Notes
}

export const newWay = (): Way => ({
  timings: { ...noTimings },
  address: null,
  certificateExpiresAt: null,
  certificate: null,
  unresolved: null,
  unroutable: [],
  addresses: none,
})

const none: readonly string[] = []

/** Whether the address is one that the operator allowed. */
export const isLocal = ({ address }: Way, { allow }: Pick<Guard, 'allow'>): boolean =>
  address !== null && allow.covers(address)

/**
 * Opens a fresh connection to an allowed host and port: all addresses resolved and checked, one
 * pinned (S-3602). If it fails, the next one is tried within the same deadline.
 * @param secure null for plain TCP
 * @param way receives the address and the times, ms
 * @param family absent: either
 */
export const reach = async (
  { host, literal, port }: Pick<Target, 'host' | 'literal' | 'port'>,
  secure: Secure | null,
  way: Way,
  stop: Stop,
  guard: Guard,
  family?: AddressFamily,
): Promise<Connection | { failure: Failure }> => {
  const resolvedAt = performance.now()
  way.unresolved = literal === 0 ? host : null
  const pinned = await unlessStopped(pinAddress({ host, literal }, guard, family), stop)
  if (!pinned.ok) return pinned
  way.unresolved = null
  way.addresses = pinned.addresses
  if (literal === 0) way.timings.dnsMs = roundMs(performance.now() - resolvedAt)

  const { address, result, note } = await connectPinned(pinned.pin, port, secure, stop, guard, way.unroutable)
  way.address = address
  recordConnection(way, result)
  if (note !== null) way.notes?.add(note)
  return result
}

export const recordConnection = (way: Way, result: Connection | ConnectFailure): void => {
  way.timings.connectMs = result.connectMs
  way.certificateExpiresAt = result.certificateExpiresAt
  way.certificate = result.certificate
  if ('tlsMs' in result) way.timings.tlsMs = result.tlsMs
}

/**
 * Connects to a pinned address, or to the target's next one if that fails.
 * @param unroutable receives addresses without a route
 */
export const connectPinned = (
  pin: Pin,
  port: number,
  secure: Secure | null,
  stop: Stop,
  guard: Pick<Guard, 'allow' | 'spend'>,
  unroutable: string[],
): Promise<AnyResult> => {
  const to: Begin = async (address, own, onTcp) => {
    if (address !== pin.address && !mayTryOther(address, guard)) return notTried
    const local = guard.allow.covers(address)
    const result = await connect({ address, port }, secure, { local, stop: own, onTcp })
    if ('failure' in result && result.failure === noRoute) unroutable.push(address)
    return result
  }
  return connectAny([pin.address, ...pin.others], to, stop)
}

const notTried = {
  failure: targetRateExceeded,
  connectMs: null,
  certificateExpiresAt: null,
  certificate: null,
}

/** Name resolution ends with the deadline; the resolver limits its own work. */
const unlessStopped = <T>(work: Promise<T>, stop: Stop): Promise<T | { ok: false; failure: Failure }> =>
  new Promise((resolve, reject) => {
    stop.during(() => resolve({ ok: false, failure: stop.failure('dns') }))
    work.then(resolve, reject)
  })
