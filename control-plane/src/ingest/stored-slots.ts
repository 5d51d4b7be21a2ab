import { readingId } from '@probe-mesh/contracts/reading'
import type { Reading } from '@probe-mesh/contracts/reading'

/** Pairs of check and region remembered of one partition; beyond, all are forgotten and asked again. */
const pairsMax = 200_000

/** A check and region, as memory and the store are asked about them. */
export const pairOf = (reading: { checkId: string; region: string }): string =>
  `${reading.checkId}:${reading.region}`

/**
 * Remembers the newest stored slot of each check and region. Agents send slots in order, so that
 * a newer one is new without asking. One number a pair.
 */
export const createStoredSlots = () => {
  const newest = new Map<string, number>()
  const raise = (pair: string, slot: number): void => {
    if (newest.size >= pairsMax && !newest.has(pair)) newest.clear()
    if (slot > (newest.get(pair) ?? Number.NEGATIVE_INFINITY)) newest.set(pair, slot)
  }
  return {
    isKnown: (reading: Reading): boolean => newest.has(pairOf(reading)),
    /** Whether memory alone proves that this reading is not stored yet. */
    isSurelyNew: (reading: Reading): boolean => {
      const slot = newest.get(pairOf(reading))
      return reading.kind === 'scheduled' && slot !== undefined && reading.slot > slot
    },
    /** No slot of this pair after this one is stored. */
    raise,
    remember: (reading: Reading): void => {
      if (reading.kind === 'scheduled') raise(pairOf(reading), reading.slot)
    },
  }
}

export type StoredSlots = ReturnType<typeof createStoredSlots>

/** What is asked of the store, only about what memory cannot answer. */
export type StoreQuestions = {
  /** The newest stored slot of each reading's pair from the oldest of these slots on, by `pairOf`. */
  findNewest(readings: readonly Reading[]): Promise<Map<string, number>>
  /** Which of these readings are stored, by `readingId`. */
  findStored(readings: readonly Reading[]): Promise<Set<string>>
}

/**
 * Positions of readings that must not be inserted: the second and later of one identity within
 * the batch, and those stored before. The first reading of a slot is the one that is kept.
 */
export const twinPositions = async (
  readings: readonly Reading[],
  slotsOf: (reading: Reading) => StoredSlots,
  store: StoreQuestions,
): Promise<Set<number>> => {
  await learn(readings, slotsOf, store)
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
    if (!slotsOf(reading).isSurelyNew(reading)) doubtful.set(id, position)
  }
  if (doubtful.size === 0) return twins
  const asked = [...doubtful.values()].flatMap((position) => readings[position] ?? [])
  for (const id of await store.findStored(asked)) {
    const position = doubtful.get(id)
    if (position !== undefined) twins.add(position)
  }
  return twins
}

/** After a start memory is empty: one question about pairs spares one about every reading. */
const learn = async (
  readings: readonly Reading[],
  slotsOf: (reading: Reading) => StoredSlots,
  store: StoreQuestions,
): Promise<void> => {
  const unknown = readings.filter(
    (reading) => reading.kind === 'scheduled' && !slotsOf(reading).isKnown(reading),
  )
  if (unknown.length === 0) return
  const newest = await store.findNewest(unknown)
  const oldestAsked = unknown.reduce((oldest, { slot }) => Math.min(oldest, slot), Infinity)
  for (const reading of unknown) {
    const pair = pairOf(reading)
    slotsOf(reading).raise(pair, newest.get(pair) ?? oldestAsked - 1)
  }
}
