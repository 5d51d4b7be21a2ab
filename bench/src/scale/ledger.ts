import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { readingId } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { nextSlot, slotPhase, slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import { pairOf } from '@probe-mesh/control-plane/mesh/ingest/stored-slots'

/** What a partition's checks are due and what of it is stored: instead of ClickHouse, a bit a slot. */
export type Ledger = {
  store(reading: Reading): void
  /** The questions that ingest asks of the store (`ingest/stored-slots`). */
  findNewest(readings: readonly Reading[]): Promise<Map<string, number>>
  findStored(readings: readonly Reading[]): Promise<Set<string>>
  /** Stored twice, and stored although it was never due. */
  readonly duplicates: number
  readonly strangers: number
  /** Slots due before an instant and not stored. */
  missing(): { checkId: string; region: Region; slot: number }[]
  due(): number
  stored(): number
}

/** Slots of a pair that the window may have: its bits. */
const slotsMax = 30

/** @param window [fromMs, toMs) Unix ms */
export const createLedger = (
  checkIds: readonly string[],
  regions: readonly Region[],
  window: { fromMs: number; toMs: number; intervalSeconds: number },
): Ledger => {
  const { fromMs, toMs, intervalSeconds } = window
  const intervalMs = intervalSeconds * 1_000
  if ((toMs - fromMs) / intervalMs > slotsMax) throw new RangeError('too many slots a check')
  const numbers = new Map(checkIds.map((checkId, number) => [checkId, number]))
  const places = new Map(regions.map((region, place) => [region, place]))
  const seen = new Uint32Array(checkIds.length * regions.length)
  let duplicates = 0
  let strangers = 0
  let storedCount = 0

  const revision = { validFromMs: fromMs, validToMs: null, regions, intervalSeconds, paused: false }
  const dueOf = (checkId: string, region: Region): number =>
    slotsDueCount(checkId, region, [revision], fromMs, toMs)
  const firstOf = (checkId: string, region: Region): number =>
    nextSlot(slotPhase(checkId, region, intervalMs), intervalMs, fromMs)
  /** Where the slot's bit is; null for one that is none of the window's. */
  const bitOf = ({ checkId, region, slot }: Pick<Reading, 'checkId' | 'region' | 'slot'>) => {
    const number = numbers.get(checkId)
    const place = places.get(region)
    if (number === undefined || place === undefined) return null
    const k = (slot - firstOf(checkId, region)) / intervalMs
    if (!Number.isInteger(k) || k < 0 || k >= dueOf(checkId, region)) return null
    return { at: number * regions.length + place, bit: 1 << k }
  }
  const isStored = (reading: Reading): boolean => {
    const found = bitOf(reading)
    return found !== null && ((seen[found.at] ?? 0) & found.bit) !== 0
  }

  return {
    store: (reading) => {
      const found = bitOf(reading)
      if (found === null) {
        strangers += 1
        return
      }
      const bits = seen[found.at] ?? 0
      if ((bits & found.bit) !== 0) duplicates += 1
      else storedCount += 1
      seen[found.at] = bits | found.bit
    },
    findNewest: async (readings) => {
      const newest = new Map<string, number>()
      for (const reading of readings) {
        const bits = seen[bitOf(reading)?.at ?? -1] ?? 0
        if (bits === 0) continue
        const k = 31 - Math.clz32(bits)
        newest.set(pairOf(reading), firstOf(reading.checkId, reading.region) + k * intervalMs)
      }
      return newest
    },
    findStored: async (readings) => new Set(readings.filter(isStored).map(readingId)),
    get duplicates() {
      return duplicates
    },
    get strangers() {
      return strangers
    },
    missing: () =>
      checkIds.flatMap((checkId, number) =>
        regions.flatMap((region, place) => {
          const bits = seen[number * regions.length + place] ?? 0
          const due = dueOf(checkId, region)
          if (bits === 2 ** due - 1) return []
          const first = firstOf(checkId, region)
          return Array.from({ length: due }, (_, k) => k)
            .filter((k) => (bits & (1 << k)) === 0)
            .map((k) => ({ checkId, region, slot: first + k * intervalMs }))
        }),
      ),
    due: () =>
      checkIds.reduce(
        (sum, checkId) => sum + regions.reduce((all, region) => all + dueOf(checkId, region), 0),
        0,
      ),
    stored: () => storedCount,
  }
}
