import { presence } from '@probe-mesh/contracts/subjects'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterAbsence,
  aliveAgents,
  readGapMsMax,
  rememberedSightings,
  seeAgents,
  type Sightings,
} from './members.ts'

const nothing = rememberedSightings([])
const listed = (...agents: [string, number][]) =>
  agents.map(([agent, revision]) => ({ agent, revision }))

/** Reads the same list once a second, from one instant to another. */
const readOn = (
  former: Sightings,
  list: ReturnType<typeof listed>,
  fromMs: number,
  toMs: number,
): Sightings => {
  let sightings = former
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 1_000) {
    sightings = seeAgents(sightings, list, nowMs)
  }
  return seeAgents(sightings, list, toMs)
}

describe('who is alive', () => {
  test('oneself always, listed or not', () => {
    expect(aliveAgents(nothing, 'a')).toEqual(['a'])
    expect(aliveAgents(seeAgents(nothing, listed(['b', 1]), 0), 'a')).toEqual(['a', 'b'])
    const long = readOn(nothing, listed(['a', 1]), 0, 60_000)
    expect(aliveAgents(long, 'a')).toEqual(['a'])
  })

  test.each([
    [presence.silentMs - 1, ['a', 'b']],
    [presence.silentMs, ['a']],
  ])('one whose revision stands still for %i ms: %j', (silentMs, alive) => {
    const list = listed(['a', 1], ['b', 7])
    const sightings = readOn(nothing, list, 1_000, 1_000 + silentMs)
    expect(aliveAgents(sightings, 'a')).toEqual(alive)
  })

  test('one that is gone stays gone while its entry lingers, and is back once it moves', () => {
    const lingering = readOn(nothing, listed(['b', 7]), 0, 29_000)
    expect(aliveAgents(lingering, 'a')).toEqual(['a'])
    const moved = seeAgents(lingering, listed(['b', 8]), 30_000)
    expect(aliveAgents(moved, 'a')).toEqual(['a', 'b'])
  })

  test('one that withdraws is gone at once', () => {
    const both = readOn(nothing, listed(['a', 1], ['b', 1]), 0, 3_000)
    expect(aliveAgents(seeAgents(both, listed(['a', 2]), 4_000), 'a')).toEqual(['a'])
  })

  test.each([
    [readGapMsMax, ['a']],
    [readGapMsMax + 1, ['a', 'b']],
  ])('one not listed after %i ms without a list: %j', (gapMs, alive) => {
    const both = seeAgents(nothing, listed(['a', 1], ['b', 1]), 0)
    expect(aliveAgents(seeAgents(both, listed(['a', 2]), gapMs), 'a')).toEqual(alive)
  })

  test.each([
    [presence.silentMs - 1, ['a', 'b']],
    [presence.silentMs, ['a']],
  ])('after an absence of the bus it has %i ms to say so again: %j', (silentMs, alive) => {
    const both = seeAgents(nothing, listed(['a', 1], ['b', 1]), 0)
    const absent = afterAbsence(both)
    expect(aliveAgents(absent, 'a')).toEqual(['a', 'b'])
    const back = readOn(absent, listed(['a', 2]), 500, 500 + silentMs)
    expect(aliveAgents(back, 'a')).toEqual(alive)
  })

  test('nobody is judged by a silence in which no list was read', () => {
    const both = seeAgents(nothing, listed(['a', 1], ['b', 1]), 0)
    const back = seeAgents(both, listed(['a', 1], ['b', 1]), 120_000)
    expect(aliveAgents(back, 'a')).toEqual(['a', 'b'])
  })

  test('who is remembered counts until the bus has had its say', () => {
    const remembered = rememberedSightings(['a', 'b', 'c'])
    expect(aliveAgents(remembered, 'a')).toEqual(['a', 'b', 'c'])
    const heard = seeAgents(remembered, listed(['a', 1], ['c', 1]), 50)
    expect(aliveAgents(heard, 'a')).toEqual(['a', 'b', 'c'])
    const later = readOn(heard, listed(['a', 1]), 1_000, 50 + presence.silentMs)
    expect(aliveAgents(later, 'a')).toEqual(['a'])
  })

  test('one that renews in time is never taken for gone, however the lists come', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 60 })
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        let sightings = nothing
        let nowMs = 0
        for (const gapMs of gapsMs) {
          nowMs += gapMs
          const revision = Math.floor(nowMs / presence.announceMs)
          sightings = seeAgents(sightings, listed(['b', revision]), nowMs)
          expect(aliveAgents(sightings, 'a')).toEqual(['a', 'b'])
        }
      }),
    )
  })
})
