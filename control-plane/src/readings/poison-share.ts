import { poisonBounds } from '@probe-mesh/contracts/reading/set-aside'
import type { Poison } from './poison.ts'

const minuteMs = 60_000

/** The unreadable messages that are stored. */
export type PoisonShare = {
  /**
   * Returns the part to store. The rest is counted and dropped: its owner's share of the minute, or the share
   * of all, is used up.
   */
  keep(poison: readonly Poison[]): Poison[]
}

/**
 * Limits the unreadable messages that one loop stores in a minute, per owner and in all, so that the table
 * stays near its limit between two purges.
 */
export const createPoisonShare = (capabilities: {
  now: () => number
  onKept(count: number): void
  onDropped(count: number): void
}): PoisonShare => {
  const { now, onKept, onDropped } = capabilities
  const { ownerPerMinute, allPerMinute, floorPerMinute } = poisonBounds
  let startedAtMs = Number.NEGATIVE_INFINITY
  let all = nothing
  /** Stored beyond the share of all: the first messages of owners that have few. */
  let floors = nothing
  const owners = new Map<string, Amount>()

  const hasRoom = ({ owner, payload }: Poison): boolean => {
    const { length } = payload
    const own = plus(owners.get(owner) ?? nothing, length)
    if (!isWithin(own, ownerPerMinute)) return false
    const [inAll, inFloors] = [plus(all, length), plus(floors, length)]
    if (isWithin(inAll, allPerMinute)) all = inAll
    else if (isWithin(own, floorPerMinute) && isWithin(inFloors, allPerMinute)) floors = inFloors
    else return false
    owners.set(owner, own)
    return true
  }
  return {
    keep: (poison) => {
      if (poison.length === 0) return []
      if (Math.abs(now() - startedAtMs) >= minuteMs) {
        startedAtMs = now()
        owners.clear()
        all = nothing
        floors = nothing
      }
      const kept = poison.filter(hasRoom)
      onKept(kept.length)
      onDropped(poison.length - kept.length)
      return kept
    },
  }
}

type Count = { inc(count: number): void }

/** The same, with counters for unreadable messages and for dropped ones. */
export const countedPoisonShare = (capabilities: {
  now: () => number
  metrics: { readonly poison: Count; readonly poisonDropped: Count }
}): PoisonShare => {
  const { now, metrics } = capabilities
  return createPoisonShare({
    now,
    onKept: (count) => metrics.poison.inc(count),
    onDropped: (count) => {
      metrics.poison.inc(count)
      metrics.poisonDropped.inc(count)
    },
  })
}

type Amount = { readonly rows: number; readonly bytes: number }

const nothing: Amount = { rows: 0, bytes: 0 }

const plus = ({ rows, bytes }: Amount, more: number): Amount => ({
  rows: rows + 1,
  bytes: bytes + more,
})

const isWithin = ({ rows, bytes }: Amount, most: Amount): boolean => rows <= most.rows && bytes <= most.bytes
