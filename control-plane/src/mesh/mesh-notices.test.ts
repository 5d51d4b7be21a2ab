import { joinNotices, type RegionNotice } from '@probe-mesh/contracts/mesh/mesh'
import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { describe, expect, test } from 'vitest'
import { regionNotices, regionsHeard } from './mesh-notices.ts'
import { nothingSeen, seeRegion, type RegionSightings } from './sightings.ts'

const startMs = Date.parse('2026-11-22T12:00:00Z')
const paceMs = 2_000

type Agent = { name: string; version?: string; offMs?: number }
/** A region whose agents announced themselves this many times. */
const announced = (agents: readonly Agent[], times = 10): RegionSightings => {
  let seen = nothingSeen('fra')
  for (let n = 0; n < times; n++) {
    const nowMs = startMs + n * paceMs
    const list = agents.map(({ name, version = '1.2.0', offMs = -30 }): AnnouncedAgent => ({
      agent: name,
      region: 'fra',
      version,
      startedAt: 5,
      revision: n,
      report: { at: nowMs + offMs },
    }))
    seen = seeRegion(seen, list, nowMs)
  }
  return seen
}
const nowMs = startMs + 9 * paceMs
const textsOf = (...agents: Agent[]): string[] =>
  regionNotices([announced(agents)], [], { version: '1.2.0', nowMs }).map(
    ({ what, text, since }) => `${what}: ${text} since ${since.slice(14, 19)}`,
  )

test.each<[string, Agent[], string[]]>([
  ['nothing where all is well', [{ name: 'a' }, { name: 'b', offMs: -2_500 }], []],
  [
    'a clock',
    [{ name: 'a', offMs: 90_000 }],
    ["clock: fra: the clock of a is 1 min 30 s ahead of the control plane's since 00:08"],
  ],
  [
    'the clock that is farthest off, and how many are',
    [{ name: 'a', offMs: 20_000 }, { name: 'b', offMs: -90_000 }, { name: 'c' }],
    [
      "clock: fra: the clock of b is 1 min 30 s behind the control plane's; 2 of 3 probes are off since 00:08",
    ],
  ],
  [
    'an older build',
    [{ name: 'a', version: '1.1.9' }],
    ['version: fra: the probe runs an older build (1.1.9) than the control plane (1.2.0) since 00:00'],
  ],
  [
    'the oldest build, and how many are older',
    [
      { name: 'a', version: '1.1.9' },
      { name: 'b', version: '1.0.0' },
      { name: 'c', version: '1.3.0' },
    ],
    ['version: fra: 2 of 3 probes run an older build (1.0.0) than the control plane (1.2.0) since 00:00'],
  ],
])('says %s', (_, agents, said) => {
  expect(textsOf(...agents)).toEqual(said)
})

test('reports the regions that are quarantined now, with or without agents', () => {
  const quarantines = [
    { region: 'fra', sinceAtMs: startMs, endedAtMs: null },
    { region: 'iad', sinceAtMs: startMs, endedAtMs: startMs + 1 },
  ]
  expect(regionNotices([], quarantines, { version: '1.2.0', nowMs })).toEqual([
    {
      region: 'fra',
      what: 'quarantine',
      since: '2026-11-22T12:00:00.000Z',
      text: 'fra is quarantined: its own network seems to fail',
    },
  ])
})

test('ignores clocks and builds of offline agents, and does not count their region as heard', () => {
  const seen = announced([{ name: 'a', version: '1.0.0', offMs: 90_000 }])
  expect(regionsHeard([seen], nowMs)).toEqual(['fra'])
  const gone = seeRegion(seen, [], nowMs + paceMs)
  expect(regionNotices([gone], [], { version: '1.2.0', nowMs: nowMs + paceMs })).toEqual([])
  expect(regionsHeard([gone], nowMs + paceMs)).toEqual([])
})

describe('for all regions together', () => {
  const notice = (region: string, what: RegionNotice['what'], atMs: number): RegionNotice => ({
    region,
    what,
    since: new Date(startMs + atMs).toISOString(),
    text: `${region}: ${what}`,
  })
  const joined = (...notices: RegionNotice[]): string[] =>
    joinNotices(notices).map(
      ({ what, text, since, regions }) =>
        `${what}: ${text} since ${since.slice(14, 19)}, in ${regions.join()}`,
    )

  test('a lost resolver, a lost network and a quarantine are one fault, from when it first began', () => {
    expect(
      joined(
        notice('iad', 'network', 9_000),
        notice('fra', 'names', 7_000),
        notice('nrt', 'quarantine', 8_000),
        notice('fra', 'quarantine', 9_500),
      ),
    ).toEqual(['names: fra: names; also nrt, iad since 00:07, in fra,nrt,iad'])
  })

  test('clocks and builds are faults of their own', () => {
    expect(
      joined(notice('fra', 'clock', 1_000), notice('iad', 'version', 2_000), notice('nrt', 'names', 3_000)),
    ).toEqual([
      'clock: fra: clock since 00:01, in fra',
      'version: iad: version since 00:02, in iad',
      'names: nrt: names since 00:03, in nrt',
    ])
  })
})
