import { hash, randomBytes } from 'node:crypto'
import { networkOf, widerNetworksOf } from '@probe-mesh/contracts/target/network-of'
import { createIndexedHeap } from '@probe-mesh/runtime/indexed-heap'
import type { InHeap } from '@probe-mesh/runtime/indexed-heap'
import type { Meter } from '@probe-mesh/runtime/rate-limiter'
import { wholeSeconds } from '@probe-mesh/runtime/retry-after'
import { createSlidingWindow } from '@probe-mesh/runtime/sliding-window'

/**
 * How often one client address may do something that costs somebody else. Nothing of it is stored, and
 * what is remembered in memory is a hash of it.
 */
export type AddressRate = {
  /** Counts one more. @returns 0 where it is allowed, else the seconds until one will be */
  take(address: string): number
  /** Counts one more, and says what is left. */
  spend(address: string): Spent
  size(): number
}

export type Spent = {
  allowed: boolean
  left: number
  /** Until the oldest that counts leaves the window: then a refused one is worth trying again. */
  resetMs: number
}

/**
 * Networks remembered at a time. Of the /48 that has most of them the one quiet for longest is forgotten
 * first, so that nobody with a large network makes others forgotten.
 */
const addressesMax = 20_000
/** The limit of an IPv4 address or IPv6 /64, of the /56 around it, and of the /48: times the one given. */
const partsOfLimit = [1, 2, 4] as const

const saltBytes = 16

type Remembered = { name: string; limit: number; window: Meter; around: Around }
/** What is remembered of one IPv4 address or /48, in the order of use. */
type Around = InHeap & { name: string; names: Set<string> }

/**
 * At most `limit` in any `windowMs` from one IPv4 address or IPv6 /64, twice that from a /56 and four times
 * from a /48, counted by each process for itself. The salt is
 * made here and is nowhere else, so that nobody can find out later whose hash was remembered.
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
    // where nobody has more than a household does, whoever was quiet for longest
    const isLarge = names !== undefined && names.size > partsOfLimit.length
    const [eldest] = isLarge ? names : recent.keys()
    if (eldest !== undefined) forget(eldest)
  }

  /** Also those that asked nothing for a whole window: nobody is remembered for longer than needed. */
  const forgetQuiet = (nowMs: number): void => {
    while (recent.size > max) forgetOne()
    for (const [name, { window, limit: ofNetwork }] of recent) {
      if (window.left(nowMs) < ofNetwork) return
      forget(name)
    }
  }

  /** Of an address: its own network first, then those around it. */
  const networksOf = (address: string): Remembered[] => {
    const names = [networkOf(address), ...widerNetworksOf(address)].map((network) =>
      hash('sha256', salt + network, 'base64url'),
    )
    const widest = names.at(-1) ?? ''
    const around = arounds.get(widest) ?? { at: -1, name: widest, names: new Set() }
    return names.map((name, index) => {
      const ofNetwork = limit * (partsOfLimit[index] ?? 1)
      const create = () => createSlidingWindow(ofNetwork, windowMs)
      return recent.get(name) ?? { name, limit: ofNetwork, window: create(), around }
    })
  }

  const spend = (address: string): Spent => {
    const nowMs = now()
    const networks = networksOf(address)
    const allowed = networks.every(({ window }) => window.left(nowMs) > 0)
    if (allowed) for (const { window } of networks) window.take(nowMs)
    const own = networks[0]?.name ?? ''
    if (own !== latest || !recent.has(own)) {
      // who is refused because of the network around begins no count of their own
      for (const each of networks) if (allowed || recent.has(each.name)) remember(each)
      latest = own
    }
    forgetQuiet(nowMs)
    const left = Math.min(...networks.map(({ window }) => window.left(nowMs)))
    const full = networks.filter(({ window }) => window.left(nowMs) === 0)
    const waits = (full.length > 0 ? full : networks.slice(0, 1)).map(({ window }) => window)
    return { allowed, left, resetMs: Math.max(...waits.map((window) => window.resetMs(nowMs))) }
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
