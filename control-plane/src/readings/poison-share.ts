import { poisonBounds } from '@probe-mesh/contracts/error-tracking/set-aside'
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
  const { ownerPerMinute, allPerMinute, floorPerMinute } = poisonBounds
  let startedAtMs = Number.NEGATIVE_INFINITY
  let all = nothing
  /** What was kept beyond the share of all: the first of owners that have little. */
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

/** The same, with what could not be read in one figure and what of it was dropped in another. */
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

const isWithin = ({ rows, bytes }: Amount, most: Amount): boolean =>
  rows <= most.rows && bytes <= most.bytes
