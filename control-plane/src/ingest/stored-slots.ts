import { readingId } from '@probe-mesh/contracts/reading'
import type { Reading } from '@probe-mesh/contracts/reading'

/** Pairs of check and region remembered; beyond, everything is forgotten and looked up again. */
const pairsMax = 2_000_000

/**
 * Remembers the newest stored slot of each check and region. Agents send slots in order, so that
 * a newer one is new without asking; anything else is asked of ClickHouse. One number a pair.
 */
export const createStoredSlots = () => {
  const newest = new Map<string, number>()
  const keyOf = (reading: Reading): string => `${reading.checkId}:${reading.region}`
  return {
    /** Whether memory alone proves that this reading is not stored yet. */
    isSurelyNew: (reading: Reading): boolean => {
      if (reading.kind !== 'scheduled') return false
      const slot = newest.get(keyOf(reading))
      return slot !== undefined && reading.slot > slot
    },
    remember: (reading: Reading): void => {
      if (reading.kind !== 'scheduled') return
      const key = keyOf(reading)
      if (newest.size >= pairsMax && !newest.has(key)) newest.clear()
      if (reading.slot > (newest.get(key) ?? 0)) newest.set(key, reading.slot)
    },
  }
}

export type StoredSlots = ReturnType<typeof createStoredSlots>

/**
 * Positions of readings that must not be inserted: the second and later of one identity within
 * the batch, and those stored before. The first reading of a slot is the one that is kept.
 * @param findStored asked only about what memory cannot answer
 */
export const twinPositions = async (
  readings: readonly Reading[],
  slots: StoredSlots,
  findStored: (doubtful: Reading[]) => Promise<Set<string>>,
): Promise<Set<number>> => {
  const seen = new Set<string>()
  const twins = new Set<number>()
  const doubtful = new Map<string, number>()
  for (const [position, reading] of readings.entries()) {
    const id = readingId(reading)
    if (seen.has(id)) {
      twins.add(position)
      continue
    }
    seen.add(id)
    if (!slots.isSurelyNew(reading)) doubtful.set(id, position)
  }
  if (doubtful.size === 0) return twins
  const asked = [...doubtful.values()].flatMap((position) => readings[position] ?? [])
  for (const id of await findStored(asked)) {
    const position = doubtful.get(id)
    if (position !== undefined) twins.add(position)
  }
  return twins
}
