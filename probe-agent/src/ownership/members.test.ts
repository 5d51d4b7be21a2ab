import { presence } from '@probe-mesh/contracts/mesh/subjects'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import {
  afterOutage,
  liveAgents,
  readGapMsMax,
  rememberedSightings,
  applyList,
  type Sightings,
} from './members.ts'

const nothing = rememberedSightings({ members: [], chromium: [] })
const alive = (sightings: Sightings, agent: string) =>
  liveAgents(sightings, { agent, chromium: false }).members
const listed = (...agents: [string, number][]) => agents.map(([agent, revision]) => ({ agent, revision }))

/** Reads the same list once per second, from one instant to another. */
const readOn = (
  former: Sightings,
  list: ReturnType<typeof listed>,
  fromMs: number,
  toMs: number,
): Sightings => {
  let sightings = former
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 1_000) {
    sightings = applyList(sightings, list, nowMs)
  }
  return applyList(sightings, list, toMs)
}

describe('the live agents', () => {
  test('always include this agent, listed or not', () => {
    expect(alive(nothing, 'a')).toEqual(['a'])
    expect(alive(applyList(nothing, listed(['b', 1]), 0), 'a')).toEqual(['a', 'b'])
    const long = readOn(nothing, listed(['a', 1]), 0, 60_000)
    expect(alive(long, 'a')).toEqual(['a'])
  })

  test.each([
    [presence.silentMs - 1, ['a', 'b']],
    [presence.silentMs, ['a']],
  ])('with an unchanged revision for %i ms: %j', (silentMs, expected) => {
    const list = listed(['a', 1], ['b', 7])
    const sightings = readOn(nothing, list, 1_000, 1_000 + silentMs)
    expect(alive(sightings, 'a')).toEqual(expected)
  })

  test('a lost agent stays lost while its entry lingers, and is back once it changes', () => {
    const lingering = readOn(nothing, listed(['b', 7]), 0, 29_000)
    expect(alive(lingering, 'a')).toEqual(['a'])
    const moved = applyList(lingering, listed(['b', 8]), 30_000)
    expect(alive(moved, 'a')).toEqual(['a', 'b'])
  })

  test('an agent that withdraws is removed at once', () => {
    const both = readOn(nothing, listed(['a', 1], ['b', 1]), 0, 3_000)
    expect(alive(applyList(both, listed(['a', 2]), 4_000), 'a')).toEqual(['a'])
  })

  test.each([
    [readGapMsMax, ['a']],
    [readGapMsMax + 1, ['a', 'b']],
  ])('an agent not listed after %i ms without a list: %j', (gapMs, expected) => {
    const both = applyList(nothing, listed(['a', 1], ['b', 1]), 0)
    expect(alive(applyList(both, listed(['a', 2]), gapMs), 'a')).toEqual(expected)
  })

  test.each([
    [presence.silentMs - 1, ['a', 'b']],
    [presence.silentMs, ['a']],
  ])('after an outage of the bus it has %i ms to reappear: %j', (silentMs, expected) => {
    const both = applyList(nothing, listed(['a', 1], ['b', 1]), 0)
    const absent = afterOutage(both)
    expect(alive(absent, 'a')).toEqual(['a', 'b'])
    const back = readOn(absent, listed(['a', 2]), 500, 500 + silentMs)
    expect(alive(back, 'a')).toEqual(expected)
  })

  test('silence without lists does not count', () => {
    const both = applyList(nothing, listed(['a', 1], ['b', 1]), 0)
    const back = applyList(both, listed(['a', 1], ['b', 1]), 120_000)
    expect(alive(back, 'a')).toEqual(['a', 'b'])
  })

  test('remembered agents count until the bus has answered', () => {
    const remembered = rememberedSightings({ members: ['a', 'b', 'c'], chromium: [] })
    expect(alive(remembered, 'a')).toEqual(['a', 'b', 'c'])
    const heard = applyList(remembered, listed(['a', 1], ['c', 1]), 50)
    expect(alive(heard, 'a')).toEqual(['a', 'b', 'c'])
    const later = readOn(heard, listed(['a', 1]), 1_000, 50 + presence.silentMs)
    expect(alive(later, 'a')).toEqual(['a'])
  })

  test('an agent that renews in time is never considered lost, in any order of lists', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 60 })
    forAll([gaps], (gapsMs) => {
      let sightings = nothing
      let nowMs = 0
      for (const gapMs of gapsMs) {
        nowMs += gapMs
        const revision = Math.floor(nowMs / presence.announceMs)
        sightings = applyList(sightings, listed(['b', revision]), nowMs)
        expect(alive(sightings, 'a')).toEqual(['a', 'b'])
      }
    })
  })

  test('Chromium is known per agent, dropped for a silent one, and never assumed for an old version', () => {
    const list = [
      { agent: 'a', revision: 1, chromium: false },
      { agent: 'b', revision: 1, chromium: true },
      { agent: 'c', revision: 1, chromium: null },
      { agent: 'd', revision: 1 },
    ]
    const self = { agent: 'a', chromium: true }
    const all = applyList(nothing, list, 0)
    expect(liveAgents(all, self)).toEqual({
      members: ['a', 'b', 'c', 'd'],
      chromium: ['a', 'b'],
    })
    const without = liveAgents(all, { agent: 'a', chromium: false })
    expect(without.chromium).toEqual(['b'])
    const withdrawn = applyList(
      all,
      list.filter(({ agent }) => agent !== 'b'),
      1_000,
    )
    expect(liveAgents(withdrawn, self).chromium).toEqual(['a'])
  })

  test('remembered agents keep Chromium until the bus has answered', () => {
    const remembered = rememberedSightings({ members: ['a', 'b'], chromium: ['b'] })
    const self = { agent: 'a', chromium: false }
    expect(liveAgents(remembered, self).chromium).toEqual(['b'])
    expect(liveAgents(applyList(remembered, listed(['a', 1]), 50), self).chromium).toEqual(['b'])
    expect(liveAgents(applyList(remembered, listed(['b', 1]), 50), self).chromium).toEqual([])
  })
})
