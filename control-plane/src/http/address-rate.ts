import { hash, randomBytes } from 'node:crypto'
import { networkOf, widerNetworksOf } from '@probe-mesh/contracts/target/network-of'
import { createIndexedHeap, type InHeap } from '@probe-mesh/runtime/indexed-heap'
import type { Meter } from '@probe-mesh/runtime/rate-limiter'
import { wholeSeconds } from '@probe-mesh/runtime/retry-after'
import { createSlidingWindow } from '@probe-mesh/runtime/sliding-window'

/** Limits how often a client address may do something. Addresses are not stored; only hashes are in memory. */
export type AddressRate = {
  /** Counts a request. @returns 0 if it is allowed, otherwise the seconds to wait */
  take(address: string): number
  /**
   * Counts a request. @returns the remaining requests too
   * @param connection the connection with this address, if it is the client's own: its hashes are kept with it
   */
  spend(address: string, connection?: object): Spent
  size(): number
}

type Spent = {
  allowed: boolean
  left: number
  /** Until the oldest counted request leaves the window, when a refused one may be retried. */
  resetMs: number
}

/**
 * The most networks in memory. The network that is idle for longest in the /48 with the most networks is dropped
 * first, so that one large network cannot displace others.
 */
const addressesMax = 20_000
/** Factors of the limit for an IPv4 address or IPv6 /64, for its /56 and for its /48. */
const partsOfLimit = [1, 2, 4] as const

const saltBytes = 16

type Remembered = { name: string; limit: number; window: Meter; around: Around }
/** The networks of one IPv4 address or /48, in the order of use. */
type Around = InHeap & { name: string; names: Set<string> }

/**
 * At most `limit` in any `windowMs` from one IPv4 address or IPv6 /64, twice that from a /56 and four times from
 * a /48, counted in each process. The random salt exists only here, so hashes cannot be traced to addresses.
 */
export const createAddressRate = (options: {
  now: () => number
  limit: number
  windowMs: number
  addressesMax?: number
}): AddressRate => {
  const { now, limit, windowMs } = options
  const max = options.addressesMax ?? addressesMax
  const salt = randomBytes(saltBytes).toString('base64url')
  /** In the order of use. */
  const recent = new Map<string, Remembered>()
  const arounds = new Map<string, Around>()
  const largest = createIndexedHeap<Around>((one, other) => one.names.size > other.names.size)
  let latest: string | null = null

  const forget = (name: string): void => {
    const around = recent.get(name)?.around
    recent.delete(name)
    if (around === undefined) return
    around.names.delete(name)
    if (around.names.size > 0) return largest.update(around)
    largest.delete(around)
    arounds.delete(around.name)
  }
  const remember = (each: Remembered): void => {
    const { name, around } = each
    recent.delete(name)
    recent.set(name, each)
    around.names.delete(name)
    around.names.add(name)
    arounds.set(around.name, around)
    largest.update(around)
  }
  const forgetOne = (): void => {
    const names = largest.first?.names
    // if no /48 is larger than a household, drop the network that is idle for longest
    const isLarge = names !== undefined && names.size > partsOfLimit.length
    const [eldest] = isLarge ? names : recent.keys()
    if (eldest !== undefined) forget(eldest)
  }

  /** Also drops networks without a request in the whole window, so that none stays longer than needed. */
  const forgetQuiet = (nowMs: number): void => {
    while (recent.size > max) forgetOne()
    for (const [name, { window, limit: ofNetwork }] of recent) {
      if (window.left(nowMs) < ofNetwork) return
      forget(name)
    }
  }

  const hashesOf = (address: string): readonly string[] =>
    [networkOf(address), ...widerNetworksOf(address)].map((network) =>
      hash('sha256', salt + network, 'base64url'),
    )
  const hashesOfConnections = new WeakMap<object, readonly string[]>()
  const hashesOfConnection = (address: string, connection: object): readonly string[] => {
    const known = hashesOfConnections.get(connection)
    if (known !== undefined) return known
    const hashes = hashesOf(address)
    hashesOfConnections.set(connection, hashes)
    return hashes
  }

  /** The networks of an address, the smallest first. */
  const networksOf = (names: readonly string[]): Remembered[] => {
    const widest = names.at(-1) ?? ''
    const around = arounds.get(widest) ?? { at: -1, name: widest, names: new Set() }
    return names.map((name, index) => {
      const ofNetwork = limit * (partsOfLimit[index] ?? 1)
      const create = () => createSlidingWindow(ofNetwork, windowMs)
      return recent.get(name) ?? { name, limit: ofNetwork, window: create(), around }
    })
  }

  const spend = (address: string, connection?: object): Spent => {
    const nowMs = now()
    const networks = networksOf(
      connection === undefined ? hashesOf(address) : hashesOfConnection(address, connection),
    )
    let allowed = true
    for (const { window } of networks) allowed &&= window.left(nowMs) > 0
    if (allowed) for (const { window } of networks) window.take(nowMs)
    const own = networks[0]?.name ?? ''
    if (own !== latest || !recent.has(own)) {
      // an address that is refused because of a wider network starts no count of its own
      for (const each of networks) if (allowed || recent.has(each.name)) remember(each)
      latest = own
    }
    forgetQuiet(nowMs)
    let left = Infinity
    let fullMs = 0
    for (const { window } of networks) {
      const ofWindow = window.left(nowMs)
      left = Math.min(left, ofWindow)
      if (ofWindow === 0) fullMs = Math.max(fullMs, window.resetMs(nowMs))
    }
    return { allowed, left, resetMs: left === 0 ? fullMs : (networks[0]?.window.resetMs(nowMs) ?? 0) }
  }

  return {
    take: (address) => {
      const { allowed, resetMs } = spend(address)
      return allowed ? 0 : wholeSeconds(resetMs)
    },
    spend,
    size: () => recent.size,
  }
}
