import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { describe, expect, test } from 'vitest'
import { meshGapMsMax, nothingSeen, seeRegion, stateOfAgent, type RegionSightings } from './sightings.ts'

const report = { at: 1, spool: { readings: 7, bytes: 700 } }
const announced = (revision: number, more: Partial<AnnouncedAgent> = {}): AnnouncedAgent => ({
  agent: 'fra-1',
  region: 'fra',
  version: '1',
  startedAt: 5,
  revision,
  report,
  ...more,
})
/** Lists that are read every two seconds from 0 on. */
const readAll = (lists: readonly (readonly AnnouncedAgent[])[]): RegionSightings =>
  lists.reduce((seen, list, index) => seeRegion(seen, list, index * 2_000), nothingSeen('fra'))
const only = (seen: RegionSightings) => {
  const [agent] = seen.agents.values()
  if (agent === undefined) throw new Error('no agent')
  return agent
}
const stateAt = (seen: RegionSightings, nowMs: number) => stateOfAgent(seen, only(seen), nowMs)

describe('an agent', () => {
  test('is online while it renews, and until it has been silent for too long', () => {
    const still = Array.from({ length: 4 }, () => [announced(1)])
    expect(stateAt(readAll(still), 6_000)).toBe('there')
    expect(6_000).toBeLessThan(presence.silentMs)
    expect(stateAt(readAll([...still, [announced(1)]]), 8_000)).toBe('gone')
    expect(stateAt(readAll([...still, [announced(2)]]), 8_000)).toBe('there')
  })

  test('that withdrew is offline at once, and its last report stays with its time', () => {
    const seen = readAll([[announced(1)], [announced(2)], [], []])
    expect(stateAt(seen, 6_000)).toBe('gone')
    expect(only(seen)).toMatchObject({ heardAtMs: 2_000, told: { atMs: 2_000, report } })
  })

  test('is unknown while it could not be heard, and has time to be heard after that', () => {
    const seen = readAll([[announced(1)]])
    expect(stateAt(seen, meshGapMsMax)).toBe('there')
    expect(stateAt(seen, meshGapMsMax + 1)).toBe('unknown')
    const back = seeRegion(seen, [], 60_000)
    expect(stateAt(back, 60_000)).toBe('unknown')
    expect(only(back).heardAtMs).toBe(0)
    const later = [62_000, 64_000, 66_000, 68_000].reduce((each, at) => seeRegion(each, [], at), back)
    expect(stateAt(later, 68_000)).toBe('gone')
  })

  test('with an older version or an invalid report has no report, and a restart clears the old one', () => {
    const { report: _, ...older } = announced(1)
    expect(only(readAll([[older]])).told).toBeNull()
    const odd = { at: 1, spool: { readings: -1, bytes: 0 } }
    expect(only(readAll([[announced(1, { report: odd })]])).told).toBeNull()
    const newLife = announced(2, { startedAt: 6, report: null })
    expect(only(readAll([[announced(1)], [newLife]])).told).toBeNull()
  })

  test('with unknown fields in its report is understood', () => {
    const newer = { ...report, colour: 'red' }
    expect(only(readAll([[announced(1, { report: newer })]])).told?.report).toEqual(report)
  })
})

test('remembers the newest of many offline agents', () => {
  const crowd = Array.from({ length: 300 }, (_, n) => announced(1, { agent: `old-${n}` }))
  const seen = readAll([crowd, [announced(1)]])
  expect(seen.agents.size).toBe(200)
  expect(seen.agents.has('fra-1')).toBe(true)
})
