import { networkOf } from '../network-of.ts'
import { createSlidingWindow } from './sliding-window.ts'
import type { SlidingWindow } from './sliding-window.ts'

/** How often one client address may do something that costs somebody else. Nothing of it is stored. */
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

/** Addresses remembered at a time; the one quiet for longest is forgotten first. */
const addressesMax = 20_000

/** At most `limit` in any `windowMs` from one address, counted by each process for itself. */
export const createAddressRate = (options: {
  now: () => number
  limit: number
  windowMs: number
  addressesMax?: number
}): AddressRate => {
  const { now, limit, windowMs } = options
  const max = options.addressesMax ?? addressesMax
  const recent = new Map<string, SlidingWindow>()
  let latest: string | null = null

  /** Also those that asked nothing for a whole window: nobody is remembered for longer than needed. */
  const forgetQuiet = (nowMs: number): void => {
    for (const [network, window] of recent) {
      if (recent.size <= max && window.left(nowMs) < limit) return
      recent.delete(network)
    }
  }

  const spend = (address: string): Spent => {
    const nowMs = now()
    const network = networkOf(address)
    const window = recent.get(network) ?? createSlidingWindow(limit, windowMs)
    const allowed = window.take(nowMs)
    if (network !== latest) {
      // the map keeps the order of use
      recent.delete(network)
      recent.set(network, window)
      latest = network
    }
    forgetQuiet(nowMs)
    return { allowed, left: window.left(nowMs), resetMs: window.resetMs(nowMs) }
  }

  return {
    take: (address) => {
      const { allowed, resetMs } = spend(address)
      return allowed ? 0 : Math.max(1, Math.ceil(resetMs / 1000))
    },
    spend,
    size: () => recent.size,
  }
}
