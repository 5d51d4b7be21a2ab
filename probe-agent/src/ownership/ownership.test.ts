import { BusUnavailable, type Bus } from '@probe-mesh/bus/port'
import { presence as pace } from '@probe-mesh/contracts/mesh/subjects'
import { pause } from '@probe-mesh/runtime/pause'
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFastClock } from '../testing/fast-clock.ts'
import { openTestRegion, slotMs, type TestRegion } from '../testing/region.ts'
import { ownerAmong } from './assignment-table.ts'

const open = async (): Promise<TestRegion> => {
  const endClock = startFastClock()
  const region = await openTestRegion()
  onTestFinished(() => region.close().finally(endClock))
  return region
}

/** Waits until the condition holds; the test ends when it never does. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await pause(1)
}

/** Waits until exactly these agents share this many checks. */
const shared = ({ agents }: TestRegion, names: string[], count: number) =>
  until(() => {
    const alive = agents.filter((agent) => agent.members.join(' ') === names.join(' '))
    const assignments = alive.reduce((sum, agent) => sum + agent.assignments, 0)
    return alive.length === names.length && assignments === count
  })

/** The tolerated delay of a run after its slot, ms. */
const slackMs = 1_500
const elapsed = (sinceMs: number, ms: number) => pause(Math.max(0, sinceMs + ms - Date.now()))

describe('agents of one region', () => {
  test('share its slots, each run by exactly one, and count the whole region', async () => {
    const region = await open()
    const registry = new Registry()
    const assignments = await region.assign(40)
    await region.start('fra-1', { registry })
    await region.start('fra-2')
    await region.start('fra-3')
    await shared(region, ['fra-1', 'fra-2', 'fra-3'], 40)
    const settledAt = Date.now()
    await elapsed(settledAt, 2 * slotMs + slackMs)
    const times = region.timesRun(assignments, settledAt, settledAt + 2 * slotMs)
    expect(new Set(times.flat())).toEqual(new Set([1]))
    const owner = ownerAmong(['fra-1', 'fra-2', 'fra-3'])
    for (const { agent, checkId, at } of region.ran) {
      if (at > settledAt) expect(agent).toBe(owner(checkId))
    }
    const metrics = await registry.metrics()
    expect(metrics).toContain('probe_mesh_agent_members{region="fra"} 3')
    expect(metrics).toContain('probe_mesh_agent_region_assignments{region="fra"} 40')
    expect(metrics).not.toContain('probe_mesh_agent_assignments{region="fra"} 40')
  })

  test('an agent that joins and one that stops lose no slot', async () => {
    const region = await open()
    const assignments = await region.assign(40)
    await region.start('fra-1')
    await shared(region, ['fra-1'], 40)
    const beganAt = Date.now() + 1_000
    await elapsed(beganAt, 500)
    const second = await region.start('fra-2')
    await shared(region, ['fra-1', 'fra-2'], 40)
    await second.close()
    region.agents.splice(region.agents.indexOf(second), 1)
    const stoppedAt = Date.now()
    await shared(region, ['fra-1'], 40)
    expect(Date.now() - stoppedAt).toBeLessThan(pace.silentMs)
    await elapsed(stoppedAt, 2 * slotMs + slackMs)
    const times = region.timesRun(assignments, beganAt, stoppedAt + 2 * slotMs)
    expect(Math.min(...times.flat())).toBeGreaterThanOrEqual(1)
  })

  test('a silent agent is replaced before its presence times out', async () => {
    const region = await open()
    const assignments = await region.assign(40)
    let isDead = false
    const lastSeen = new Map<string, number>()
    const presence: Bus['presence'] = {
      announce: region.bus.presence.announce,
      list: async (name) =>
        (await region.bus.presence.list(name)).map((each) => {
          const frozen = lastSeen.get(each.agent)
          if (isDead && each.agent === 'fra-2') return { ...each, revision: frozen ?? 0 }
          lastSeen.set(each.agent, each.revision)
          return each
        }),
    }
    const first = await region.start('fra-1', { bus: { ...region.bus, presence } })
    await region.start('fra-2', { isDead: () => isDead })
    await shared(region, ['fra-1', 'fra-2'], 40)
    const beganAt = Date.now()
    await elapsed(beganAt, slotMs)
    isDead = true
    const diedAt = Date.now()
    await until(() => first.members.join(' ') === 'fra-1')
    expect(Date.now() - diedAt).toBeLessThan(pace.ttlMs)
    const replacedAt = Date.now()
    await elapsed(replacedAt, 2 * slotMs + slackMs)
    for (const times of region.timesRun(assignments, beganAt, replacedAt + 2 * slotMs)) {
      const missed = times.filter((count) => count === 0).length
      expect(missed * slotMs).toBeLessThan(pace.ttlMs)
      // the missed slots are consecutive, and none is missed later
      const [from, to] = [times.indexOf(0), times.lastIndexOf(0)]
      expect(missed === 0 || missed === to - from + 1).toBe(true)
      expect(times.slice(-2)).toEqual([1, 1])
    }
  })

  test('a restart without the bus runs the same share, from the cache', async () => {
    const region = await open()
    const assignments = await region.assign(40)
    const first = await region.start('fra-1')
    await region.start('fra-2')
    await shared(region, ['fra-1', 'fra-2'], 40)
    await first.close()
    const before = ownerAmong(['fra-1', 'fra-2'])
    const own = assignments.filter(({ checkId }) => before(checkId) === 'fra-1')
    const refuse = () => Promise.reject(new BusUnavailable('away'))
    region.ran.length = 0
    const second = await region.start('fra-1', {
      bus: {
        ...region.bus,
        assignments: { ...region.bus.assignments, watch: refuse },
        persisted: { ...region.bus.persisted, watch: refuse },
        runs: { ...region.bus.runs, serve: refuse },
        presence: { announce: refuse, list: refuse },
      },
    })
    expect([second.hasAssignments, second.regionAssignments]).toEqual([true, 40])
    await until(() => second.assignments === own.length)
    expect([second.members, second.isBusUnavailable]).toEqual([['fra-1', 'fra-2'], true])
    const mine = () => new Set(region.ran.filter(({ agent }) => agent === 'fra-1').map((run) => run.checkId))
    await until(() => mine().size === own.length)
    expect(mine()).toEqual(new Set(own.map(({ checkId }) => checkId)))
  })

  test('an agent without bus and cache waits for either, and reports that', async () => {
    const region = await open()
    const refuse = () => Promise.reject(new BusUnavailable('away'))
    const agent = await region.start('fra-1', {
      bus: { ...region.bus, assignments: { ...region.bus.assignments, watch: refuse } },
    })
    expect(agent.hasAssignments).toBe(false)
    await until(() => agent.members.length === 1)
    expect(agent.hasAssignments).toBe(false)
  })

  test('the earlier of two agents with one name stops and reports it once, and the later continues', async () => {
    const region = await open()
    await region.assign(10)
    const registry = new Registry()
    let superseded = 0
    const earlier = await region.start('fra-1', { registry, onSuperseded: () => superseded++ })
    await shared(region, ['fra-1'], 10)
    const later = await region.start('fra-1', { folder: 'of another host' })
    await until(() => superseded === 1 && later.assignments === 10)
    await earlier.close()
    expect(await registry.metrics()).toContain('probe_mesh_agent_superseded_total{region="fra"} 1')
    expect(await region.bus.presence.list('fra')).toHaveLength(1)
  })
})
