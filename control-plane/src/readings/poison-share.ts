import { poisonBounds } from '@probe-mesh/contracts/set-aside'
import type { Poison } from './poison.ts'

const minuteMs = 60_000

/** What could not be read, as far as it is kept. */
export type PoisonShare = {
  /** The part that is kept. The rest is counted and dropped: its owner, or all together, had their minute's share. */
  keep(poison: readonly Poison[]): Poison[]
}

/**
 * Bounds what one loop keeps of unreadable messages in a minute, by owner and in all, so that the table
 * stays near its bounds between two purges.
 */
export const createPoisonShare = (capabilities: {
  now: () => number
  onKept(count: number): void
  onDropped(count: number): void
}): PoisonShare => {
  const { now, onKept, onDropped } = capabilities
  const { ownerPerMinute, allPerMinute } = poisonBounds
  let startedAtMs = Number.NEGATIVE_INFINITY
  let all = { rows: 0, bytes: 0 }
  const owners = new Map<string, { rows: number; bytes: number }>()

  const hasRoom = ({ owner, payload }: Poison): boolean => {
    const own = owners.get(owner) ?? { rows: 0, bytes: 0 }
    const taken = { rows: own.rows + 1, bytes: own.bytes + payload.length }
    const total = { rows: all.rows + 1, bytes: all.bytes + payload.length }
    if (taken.rows > ownerPerMinute.rows || taken.bytes > ownerPerMinute.bytes) return false
    if (total.rows > allPerMinute.rows || total.bytes > allPerMinute.bytes) return false
    owners.set(owner, taken)
    all = total
    return true
  }
  return {
    keep: (poison) => {
      if (poison.length === 0) return []
      if (Math.abs(now() - startedAtMs) >= minuteMs) {
        startedAtMs = now()
        owners.clear()
        all = { rows: 0, bytes: 0 }
      }
      const kept = poison.filter(hasRoom)
      onKept(kept.length)
      onDropped(poison.length - kept.length)
      return kept
    },
  }
}
