import { readingId, type Reading } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { readingAt } from '../../status/testing.ts'
import { createStoredSlots, pairOf, twinPositions } from './stored-slots.ts'

const minuteMs = 60_000
const aReading = (check: number, region: string, slot: number): Reading => ({
  ...readingAt(region, 'up', slot * minuteMs),
  checkId: `01890000-0000-7000-8000-${String(check).padStart(12, '0')}`,
})
/** Many checks, so that the table grows, and more regions than it has room for at first. */
const someReading = fc
  .tuple(fc.nat(40), fc.constantFrom('fra', 'iad', 'nrt', 'sjc', 'gru', 'lhr'), fc.nat(5))
  .map((parts) => aReading(...parts))

test.each([
  ['more checks than it remembers', 7],
  ['all of them', 200],
])('whatever comes in whatever order is stored once, with %s', async (_, checksMax) => {
  await forAllAsync([fc.array(fc.array(someReading), { maxLength: 20 })], async (batches) => {
    const slots = createStoredSlots(checksMax)
    const stored = new Map<string, Reading>()
    for (const batch of batches) {
      const twins = await twinPositions(batch, () => slots, {
        findNewest: async (asked) => newestOf(asked, [...stored.values()]),
        findStored: async (asked) => new Set(asked.map(readingId).filter((id) => stored.has(id))),
      })
      for (const [position, reading] of batch.entries()) {
        const id = readingId(reading)
        expect(twins.has(position)).toBe(stored.has(id))
        if (twins.has(position)) continue
        stored.set(id, reading)
        slots.remember(reading)
      }
    }
  })
})

test('a late reading that is stored after memory overflowed does not hide newer stored ones', async () => {
  const slots = createStoredSlots(2)
  const stored = new Map<string, Reading>()
  const store = async (...batch: Reading[]): Promise<boolean[]> => {
    const twins = await twinPositions(batch, () => slots, {
      findNewest: async (asked) => newestOf(asked, [...stored.values()]),
      findStored: async (asked) => new Set(asked.map(readingId).filter((id) => stored.has(id))),
    })
    const fresh = batch.filter((_, position) => !twins.has(position))
    for (const reading of fresh) {
      stored.set(readingId(reading), reading)
      slots.remember(reading)
    }
    return batch.map((_, position) => !twins.has(position))
  }
  expect(await store(aReading(1, 'fra', 5))).toEqual([true])
  // the checks 2 and 3 displace check 1, whose slot 3 comes late
  expect(await store(aReading(2, 'fra', 5), aReading(3, 'fra', 5), aReading(1, 'fra', 3))).toEqual([
    true,
    true,
    true,
  ])
  expect(await store(aReading(1, 'fra', 5))).toEqual([false])
})

/** The answer of the database: for each requested pair, from the oldest requested slot on. */
const newestOf = (asked: readonly Reading[], stored: readonly Reading[]): Map<string, number> => {
  const oldest = Math.min(...asked.map(({ slot }) => slot))
  const pairs = new Set(asked.map(pairOf))
  const newest = new Map<string, number>()
  for (const reading of stored) {
    const pair = pairOf(reading)
    if (!pairs.has(pair) || reading.slot < oldest) continue
    newest.set(pair, Math.max(reading.slot, newest.get(pair) ?? 0))
  }
  return newest
}

test('queries ClickHouse once about a pair, and later only about readings that are not newer', async () => {
  const slots = createStoredSlots()
  const asked = { newest: 0, stored: 0 }
  const twins = (batch: Reading[]) =>
    twinPositions(batch, () => slots, {
      findNewest: async (readings) => {
        asked.newest += readings.length
        return new Map()
      },
      findStored: async (readings) => {
        asked.stored += readings.length
        return new Set()
      },
    })
  const checks = Array.from({ length: 3_000 }, (_, n) => n)
  for (const slot of [1, 2, 3]) {
    for (const region of ['fra', 'iad']) {
      const batch = checks.map((check) => aReading(check, region, slot))
      await twins(batch)
      for (const reading of batch) slots.remember(reading)
    }
  }
  expect(asked).toEqual({ newest: 6_000, stored: 0 })
  await twins([aReading(2_999, 'fra', 3), aReading(2_999, 'iad', 4)])
  expect(asked).toEqual({ newest: 6_000, stored: 1 })
})
