import { createSlidingWindow } from './sliding-window.ts'
import type { SlidingWindow } from './sliding-window.ts'

/** How often one client address may do something that costs somebody else. Nothing of it is stored. */
export type AddressRate = {
  /** Counts one more. @returns 0 where it is allowed, else the seconds until one will be */
  take(address: string): number
  size(): number
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
  return {
    take: (address) => {
      const nowMs = now()
      const network = networkOf(address)
      const window = recent.get(network) ?? createSlidingWindow(limit, windowMs)
      // the map keeps the order of use
      recent.delete(network)
      recent.set(network, window)
      const eldest = recent.size > max ? recent.keys().next().value : undefined
      if (eldest !== undefined) recent.delete(eldest)
      if (window.take(nowMs)) return 0
      return Math.max(1, Math.ceil(window.resetMs(nowMs) / 1000))
    },
    size: () => recent.size,
  }
}

/** One household has a whole /64 of IPv6 addresses: it counts as one. */
export const networkOf = (address: string): string => {
  if (!address.includes(':') || address.toLowerCase().startsWith('::ffff:')) return address
  const [head = ''] = address.split('::')
  const groups = head.split(':')
  return Array.from({ length: 4 }, (_, at) => groups[at] || '0').join(':')
}
