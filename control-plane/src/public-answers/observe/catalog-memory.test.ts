import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { createCatalogMemory } from './catalog-memory.ts'
import { catalogReading, testCatalog } from './testing.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const memoryOf = () =>
  createCatalogMemory({ catalog: testCatalog, regions: ['fra', 'iad'], now: () => nowMs })

test('lists every live region of a service, with the newest reading of each probe', () => {
  const memory = memoryOf()
  memory.add(catalogReading(['two', 1], 'iad', 'up', nowMs - 2))
  memory.add(catalogReading(['two', 0], 'iad', 'up', nowMs - 3))
  memory.add(catalogReading(['two', 0], 'iad', 'down', nowMs - 1, { kind: 'confirmation' }))
  expect(memory.readingsOf('two')).toMatchObject([
    { region: 'fra', readings: [] },
    { region: 'iad', readings: [{ verdict: 'down' }, { verdict: 'up' }] },
  ])
  expect(memory.readingsOf('one').map(({ readings }) => readings)).toEqual([[], []])
})

test('a failure is inconclusive until the probe was up in that region once', () => {
  const memory = memoryOf()
  memory.add(catalogReading(['one', 0], 'iad', 'up', nowMs - 9))
  memory.add(catalogReading(['one', 0], 'fra', 'down', nowMs - 8))
  expect(memory.readingsOf('one')[0]).toEqual({
    region: 'fra',
    readings: [],
    inconclusive: [{ why: 'unproven', reason: expect.anything(), measuredAt: nowMs - 8 }],
    changed: false,
  })
  expect(memory.unproven()).toEqual(memory.checkIdsOf('one'))
  memory.add(catalogReading(['one', 0], 'fra', 'up', nowMs - 7))
  memory.add(catalogReading(['one', 0], 'fra', 'down', nowMs - 6, { kind: 'confirmation' }))
  expect(memory.readingsOf('one')[0]).toMatchObject({
    readings: [{ verdict: 'down' }],
    inconclusive: [],
  })
  expect(memory.unproven()).toEqual([])
})

test('the last up reading counts until a failed slot is confirmed', () => {
  const memory = memoryOf()
  const verdictIn = () => memory.readingsOf('one')[0]?.readings[0]?.verdict
  memory.add(catalogReading(['one', 0], 'fra', 'up', nowMs - 9))
  memory.add(catalogReading(['one', 0], 'fra', 'down', nowMs - 8))
  expect(verdictIn()).toBe('up')
  expect(memory.readingsOf('one')[0]?.inconclusive).toMatchObject([
    { why: 'unconfirmed', measuredAt: nowMs - 8 },
  ])
  memory.add(catalogReading(['one', 0], 'fra', 'down', nowMs - 7))
  expect(verdictIn()).toBe('down')
  expect(memory.readingsOf('one')[0]?.inconclusive).toEqual([])
})

test('a page counts as changed until the next measurement, and late readings do not matter', () => {
  const memory = memoryOf()
  const at = (agoMs: number, more: Partial<Reading> = {}) =>
    catalogReading(['one', 0], 'fra', 'up', nowMs - agoMs, more)
  const changed = { verdict: 'unmeasured', cause: 'page_changed' } as const
  const isChanged = () => [memory.readingsOf('one')[0]?.changed, memory.changedPages()]
  expect(memory.add(at(8, changed))).toBe(true)
  expect(isChanged()).toEqual([true, 1])
  expect(memory.add(at(8, changed))).toBe(false)
  memory.add(at(9))
  expect(isChanged()).toEqual([true, 1])
  memory.add(at(7))
  expect(isChanged()).toEqual([false, 0])
  memory.add(at(7.5, changed))
  expect(isChanged()).toEqual([false, 0])
  memory.add(at(6, { verdict: 'unmeasured', cause: 'probe_offline' }))
  expect(isChanged()).toEqual([false, 0])
})

test('a reading without a measurement counts until the next measurement, in any order of arrival', () => {
  const unmeasured = (agoMs: number, reason: string): Reading =>
    catalogReading(['one', 0], 'fra', 'unmeasured', nowMs - agoMs, { cause: 'probe_x', reason })
  const good = catalogReading(['one', 0], 'fra', 'up', nowMs - 7)
  const shownAfter = (readings: readonly Reading[]) => {
    const memory = memoryOf()
    for (const one of readings) memory.add(one)
    return memory.readingsOf('one')[0]?.inconclusive
  }
  const readings = [unmeasured(9, 'older'), unmeasured(6, 'a'), unmeasured(6, 'b'), good]
  for (const order of [readings, readings.toReversed(), [...readings, ...readings]]) {
    expect(shownAfter(order)).toEqual([{ why: 'unmeasured', reason: 'b', measuredAt: nowMs - 6 }])
  }
  expect(shownAfter([unmeasured(9, 'older'), good])).toEqual([])
  expect(shownAfter([good, unmeasured(9, 'older')])).toEqual([])
})

test('ignores readings of other checks and of regions that are not live', () => {
  const memory = memoryOf()
  const reading = catalogReading(['one', 0], 'fra', 'up', nowMs)
  expect(memory.add({ ...reading, checkId: uuidv7(nowMs) })).toBe(false)
  expect(memory.add({ ...reading, region: 'nrt' })).toBe(false)
  expect(memory.readingsOf('one').map(({ readings }) => readings)).toEqual([[], []])
  expect([memory.readingsOf('three'), memory.probesOf('three', 'fra')]).toEqual([[], []])
})

test('limits a time of measurement in the future to the time of arrival', () => {
  const memory = memoryOf()
  memory.add(catalogReading(['one', 0], 'fra', 'up', nowMs + 60_000))
  expect(memory.readingsOf('one')[0]?.readings[0]?.measuredAt).toBe(nowMs)
})

test('the version of a service changes exactly if its data changes', () => {
  const memory = memoryOf()
  const reading = catalogReading(['one', 0], 'fra', 'up', nowMs - 10)
  const versions = () => [memory.versionOf('one'), memory.versionOf('two')]
  const [first] = [versions(), memory.add(reading)]
  const second = versions()
  expect(second[0]).not.toBe(first[0])
  expect(second[1]).toBe(first[1])
  memory.add(reading)
  expect(versions()).toEqual(second)
  const unmeasured = { ...reading, verdict: 'unmeasured', measuredAt: nowMs - 5 } as const
  memory.add(unmeasured)
  const third = versions()
  expect(third[0]).not.toBe(second[0])
  memory.add(unmeasured)
  expect(versions()).toEqual(third)
  memory.add({ ...reading, measuredAt: nowMs })
  expect(versions()[0]).not.toBe(third[0])
})
