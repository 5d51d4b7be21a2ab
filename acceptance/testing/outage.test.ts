import { expect, test } from 'vitest'
import { explainedByKills, longestGapMs, unexplainedSlots } from './outage.ts'
import type { DueSlot } from './audit.ts'

const slot = (seconds: number, checkId = 'a'): DueSlot => ({
  id: `${checkId}:fra:${seconds * 1_000}`,
  checkId,
  region: 'fra',
  slotMs: seconds * 1_000,
  intervalMs: 1_000,
})
const slots = (from: number, to: number, checkId = 'a') =>
  Array.from({ length: to - from }, (_, n) => slot(from + n, checkId))
const ids = (...all: DueSlot[][]) => new Set(all.flat().map(({ id }) => id))

const outage = { agent: 'fra-1', region: 'fra', fromMs: 10_000, toMs: 14_500 }

test('a dead agent explains slots only from its kill to its first slot', () => {
  const journals = new Map([['fra-1', ids(slots(0, 9), slots(15, 16))]])
  const missed = unexplainedSlots(slots(0, 18), journals, [outage])
  expect(missed.map(({ slotMs }) => slotMs)).toEqual([16_000, 17_000])
  // a run may still have been in progress: of 8 s, but not one that is followed by a finished one
  const busy = new Map([['fra-1', ids(slots(0, 8), slots(15, 18))]])
  expect(unexplainedSlots(slots(0, 18), busy, [outage])).toEqual([])
  const passedOver = new Map([['fra-1', ids(slots(0, 8), slots(9, 10), slots(15, 18))]])
  const early = unexplainedSlots(slots(0, 18), passedOver, [outage])
  expect(early.map(({ slotMs }) => slotMs)).toEqual([8_000])
  // 500 ms to start, two attempts, two waits for a place, a name's inquiry and the canaries: at most 11.3 s
  const later = { ...outage, fromMs: 20_000, toMs: 24_500 }
  const silent = new Map([['fra-1', ids(slots(0, 8), slots(25, 28))]])
  const long = unexplainedSlots(slots(0, 28), silent, [later])
  expect(long.map(({ slotMs }) => slotMs)).toEqual([8_000])
})

test('a dead agent explains no slot of a check that another agent ran', () => {
  const journals = new Map([
    ['fra-1', ids(slots(0, 9), slots(15, 18))],
    ['fra-2', ids(slots(0, 12, 'b'), slots(13, 18, 'b'))],
  ])
  const due = [...slots(0, 18), ...slots(0, 18, 'b')]
  expect(unexplainedSlots(due, journals, [outage]).map(({ id }) => id)).toEqual(['b:fra:12000'])
})

test('a dead agent explains a check until it runs that check, within the start limit', () => {
  const journals = new Map([['fra-1', ids(slots(0, 9), slots(15, 18), slots(0, 9, 'b'), slots(17, 18, 'b'))]])
  expect(unexplainedSlots([...slots(0, 18), ...slots(0, 18, 'b')], journals, [outage])).toEqual([])
  const never = new Map([['fra-1', ids(slots(0, 9))]])
  expect(unexplainedSlots(slots(0, 20), never, [outage]).map(({ slotMs }) => slotMs)).toEqual([
    18_000, 19_000,
  ])
})

test('a dead agent explains nothing in another region or without a first run', () => {
  const journals = new Map([['fra-1', ids(slots(0, 9), slots(15, 18))]])
  const elsewhere = { ...outage, region: 'iad' }
  expect(unexplainedSlots(slots(0, 18), journals, [elsewhere])).toHaveLength(6)
  expect(unexplainedSlots(slots(11, 12, 'c'), journals, [outage])).toHaveLength(1)
})

test('the longest gap counts slots in a row of one check, not those of the next', () => {
  const due = [...slots(0, 6), ...slots(0, 6, 'b')]
  expect(longestGapMs(due, ids(due), [])).toBe(0)
  const journalled = ids(slots(0, 3), slots(4, 5), slots(3, 6, 'b'))
  expect(longestGapMs(due, journalled, [])).toBe(3_000)
  expect(longestGapMs(due, ids(slots(0, 5), slots(1, 6, 'b')), [])).toBe(1_000)
})

test('a kill within a gap restarts the gap, a kill before or after does not', () => {
  const due = slots(10, 30)
  const journalled = ids(slots(10, 12), slots(20, 30))
  expect(longestGapMs(due, journalled, [])).toBe(8_000)
  expect(longestGapMs(due, journalled, [11_500, 20_500])).toBe(8_000)
  expect(longestGapMs(due, journalled, [16_500])).toBe(5_000)
  expect(longestGapMs(due, journalled, [14_500, 16_500])).toBe(3_000)
})

test('a kill explains expected slots after the last run, and no skipped slot', () => {
  const kill = { fromMs: 10_000, toMs: 14_500 }
  const unexplained = (...ran: DueSlot[][]) => {
    const explains = explainedByKills(ids(...ran), [kill], 1_300)
    const missed = slots(0, 18).filter(({ id }) => !ids(...ran).has(id))
    return missed.filter((one) => !explains(one)).map(({ slotMs }) => slotMs)
  }
  expect(unexplained(slots(0, 10), slots(15, 18))).toEqual([])
  // a busy machine had reached 6 s, so that 5 s may still have been in progress
  expect(unexplained(slots(0, 5), slots(6, 7), slots(15, 18))).toEqual([])
  expect(unexplained(slots(0, 4), slots(6, 7), slots(15, 18))).toEqual([4_000])
  expect(unexplained(slots(0, 10), slots(16, 18))).toEqual([15_000])
})
