import { hash, randomBytes } from 'node:crypto'
import { networkOf } from '@probe-mesh/contracts/network-of'
import { createSlidingWindow } from './sliding-window.ts'
import type { SlidingWindow } from './sliding-window.ts'

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

/** Addresses remembered at a time; the one quiet for longest is forgotten first. */
const addressesMax = 20_000

const saltBytes = 16

/**
 * At most `limit` in any `windowMs` from one address, counted by each process for itself. The salt is
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
  const recent = new Map<string, SlidingWindow>()
  let latest: string | null = null

  /** Also those that asked nothing for a whole window: nobody is remembered for longer than needed. */
  const forgetQuiet = (nowMs: number): void => {
    for (const [name, window] of recent) {
      if (recent.size <= max && window.left(nowMs) < limit) return
      recent.delete(name)
    }
  }

  const spend = (address: string): Spent => {
    const nowMs = now()
    const name = hash('sha256', salt + networkOf(address), 'base64url')
    const window = recent.get(name) ?? createSlidingWindow(limit, windowMs)
    const allowed = window.take(nowMs)
    if (name !== latest) {
      // the map keeps the order of use
      recent.delete(name)
      recent.set(name, window)
      latest = name
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
