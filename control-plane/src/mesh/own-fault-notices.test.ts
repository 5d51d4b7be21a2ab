import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { expect, test } from 'vitest'
import { measuresNothing, ownFaultNotices } from './mesh-notices.ts'
import { nothingSeen, seeRegion } from './sightings.ts'

const nowMs = Date.parse('2026-11-22T12:10:00Z')
/** By the agent's clock, which is an hour behind. */
const theirNowMs = nowMs - 3_600_000
const minutes = (count: number): number => theirNowMs - count * 60_000

const agent = (name: string, ownFault?: AgentReport['ownFault']): AnnouncedAgent => ({
  agent: name,
  region: 'fra',
  version: '1',
  startedAt: 5,
  revision: 1,
  report: { at: theirNowMs, ownFault },
})
const noticesOf = (...agents: AnnouncedAgent[]) =>
  ownFaultNotices(seeRegion(nothingSeen('fra'), agents, nowMs), nowMs).map(
    ({ text, since }) => `${text} since ${since.slice(11, 16)}`,
  )

test.each<[string, AnnouncedAgent[], string[]]>([
  ['nothing where all works', [agent('a'), agent('b', null)], []],
  ['nothing of an older agent', [{ ...agent('a'), report: { at: 1 } }], []],
  [
    'a resolver by our clock, without a network fault',
    [agent('a', { namesSince: minutes(7), networkSince: minutes(9) })],
    ["fra: the probe's resolver answers for no name since 12:03"],
  ],
  [
    'a network',
    [agent('a', { networkSince: minutes(7) })],
    ['fra: the probe reaches none of its canaries since 12:03'],
  ],
  [
    'one notice for the probes of a region, from when it began',
    [agent('a', { namesSince: minutes(7) }), agent('b', { namesSince: minutes(3) }), agent('c')],
    ['fra: the resolver of 2 of 3 probes answers for no name since 12:03'],
  ],
  [
    'an invalid time as a valid one',
    [agent('a', { networkSince: 0 }), agent('b', { networkSince: Number.MAX_SAFE_INTEGER })],
    ['fra: 2 of 2 probes reach none of their canaries since 01:00'],
  ],
])('says %s', (_, agents, said) => {
  expect(noticesOf(...agents)).toEqual(said)
})

test('ignores an offline agent', () => {
  const told = seeRegion(nothingSeen('fra'), [agent('a', { namesSince: minutes(7) })], nowMs)
  const gone = seeRegion(told, [], nowMs + 2_000)
  expect(ownFaultNotices(gone, nowMs + 2_000)).toEqual([])
})

test('reads a report of a newer agent with additional fields', () => {
  const newer = { at: theirNowMs, ownFault: { namesSince: minutes(7), diskSince: 'a' } }
  expect(noticesOf({ ...agent('a'), report: newer as unknown as AgentReport })).toHaveLength(1)
})

test('nothing is measured while agents run and each has a fault of its own', () => {
  const of = (...regions: AnnouncedAgent[][]) =>
    measuresNothing(
      regions.map((agents) => seeRegion(nothingSeen('fra'), agents, nowMs)),
      nowMs,
    )
  const blind = agent('a', { networkSince: minutes(1) })
  expect(of([blind], [agent('b', { namesSince: minutes(1) })])).toBe(true)
  expect(of([blind], [agent('b')])).toBe(false)
  // an older agent reports no fault, and a region without agents says so itself
  expect(of([blind, { ...agent('b'), report: null }])).toBe(false)
  expect(of([], [])).toBe(false)
})
