import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aReading, anAssignment, until } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { partitionOf, partitions } from '@probe-mesh/contracts/mesh/subjects'
import { Reading, readingId, ReadingsMessage } from '@probe-mesh/contracts/reading/reading'
import { nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startAgent, type Agent } from './agent.ts'
import type { Run } from './schedule/run.ts'

let directory = ''
let bus: Bus
let registry: Registry
let agents: Agent[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-agent-'))
  bus = await openInProcessBus({ directory: join(directory, 'bus') })
  registry = new Registry()
})
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()))
  agents = []
  await bus.close()
  rmSync(directory, { recursive: true, force: true })
})

const upRun: Run = async ({ checkId, region }, { slot, kind, number, lateMs }) =>
  aReading({ checkId, region, slot, kind, number, lateMs, measuredAt: Date.now() })

const start = async (run: Run = upRun, region = 'fra') => {
  const agent = await startAgent({
    config: {
      region,
      agent: `${region}-1`,
      dataDirectory: directory,
      spoolBytesMax: 2 ** 24,
      targetAllow: [],
      journalPath: join(directory, `journal-${region}`),
    },
    bus,
    run,
    now: Date.now,
    log: silentLogger,
    registry,
  })
  agents.push(agent)
  return agent
}

const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())

/** Every reading in the stream. */
const readingsInStream = async (): Promise<Reading[]> => {
  const readings = []
  for (const partition of partitions) {
    for (const { data } of await bus.readings.replay(partition, 1, 1_000_000)) {
      readings.push(...ReadingsMessage.parse(jsonOf(data)).readings.map((one) => Reading.parse(one)))
    }
  }
  return readings
}

const patience = { interval: 20 }

const inStream = async (enough: (readings: Reading[]) => boolean): Promise<Reading[]> =>
  await vi.waitFor(async () => {
    const readings = await readingsInStream()
    expect(enough(readings)).toBe(true)
    return readings
  }, patience)

const journal = () => readFileSync(join(directory, 'journal-fra'), 'utf8').trimEnd().split('\n')

describe('an agent', () => {
  test('measures every slot of its assignments once, and journals its published readings', async () => {
    const assignment = anAssignment({ intervalSeconds: 1 })
    await bus.assignments.put(assignment)
    const agent = await start()
    const readings = await inStream((all) => all.length >= 3)
    expect(agent.assignments).toBe(1)
    const slots = readings.map(({ slot }) => slot)
    const [first = 0] = slots
    expect(slots).toEqual(slots.map((_, k) => first + k * 1_000))
    expect(first).toBe(nextSlot(slotPhase(assignment.checkId, 'fra', 1_000), 1_000, first))
    for (const { measuredAt, slot, lateMs } of readings) {
      expect(lateMs).toBeGreaterThanOrEqual(0)
      expect(measuredAt).toBeGreaterThanOrEqual(slot)
    }
    await agent.close()
    const stored = await readingsInStream()
    expect(journal()).toEqual(stored.map(readingId))
  })

  test('answers a run on demand, and publishes its reading like any other', async () => {
    await start()
    const assignment = anAssignment()
    const at = Date.now()
    const request = { kind: 'manual', at, number: 4, assignment } as const
    const reply = await bus.runs.request('fra', request, 5_000)
    expect(reply).toMatchObject({
      agent: 'fra-1',
      reading: { checkId: assignment.checkId, slot: at, kind: 'manual', number: 4, verdict: 'up' },
    })
    const [reading] = await inStream((all) => all.length === 1)
    expect(reading).toMatchObject({ kind: 'manual', slot: at })
  })

  test('refuses a run of another region, and counts it', async () => {
    await start()
    const assignment = anAssignment({ region: 'iad' })
    const request = { kind: 'manual', at: Date.now(), number: 0, assignment } as const
    expect(await bus.runs.request('fra', request, 5_000)).toEqual({
      agent: 'fra-1',
      error: 'other_region',
    })
    expect(await registry.metrics()).toContain('probe_mesh_agent_runs_refused_total{region="fra"} 1')
  })

  test('an assignment it does not understand is reported at its slots, is counted, and hurts no other', async () => {
    const [changing, steady] = [anAssignment({ intervalSeconds: 1 }), anAssignment({ intervalSeconds: 1 })]
    await bus.assignments.put(changing)
    await bus.assignments.put(steady)
    const agent = await start()
    await until(() => agent.assignments === 2)
    await bus.assignments.put(ofALaterVersion({ ...changing, revision: 2, type: 'telepathy' }))
    const readingsOf = (all: readonly Reading[], { checkId }: { checkId: string }) =>
      all.filter((reading) => reading.checkId === checkId)
    await inStream((all) => {
      const said = readingsOf(all, changing).filter(({ verdict }) => verdict === 'unmeasured')
      return said.length >= 2 && said.every(({ cause }) => cause === 'check_not_understood')
    })
    await inStream((all) => readingsOf(all, steady).length >= 2)
    expect(agent.assignments).toBe(2)
    expect(await registry.metrics()).toContain('probe_mesh_agent_assignments_refused_total{region="fra"} 1')
  })

  test('is announced while it runs, and withdrawn when it has stopped', async () => {
    const agent = await start()
    await until(() => agent.members.length === 1)
    expect(await bus.presence.list('fra')).toMatchObject([{ agent: 'fra-1', region: 'fra' }])
    await agent.close()
    expect(await bus.presence.list('fra')).toEqual([])
    const request = { kind: 'manual', at: 1, number: 0, assignment: anAssignment() } as const
    expect(await bus.runs.request('fra', request, 60_000)).toBe('no_agent')
  })

  test('stopping ends the run in progress, publishes its reading, and starts nothing more', async () => {
    const assignment = anAssignment({ intervalSeconds: 1 })
    const running = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const agent = await start(async (...args) => {
      running.resolve()
      await release.promise
      return upRun(...args)
    })
    await bus.assignments.put(assignment)
    await running.promise
    const closing = agent.close()
    release.resolve()
    await closing
    const stored = await readingsInStream()
    expect(stored.map(({ cause }) => cause)).toContain('ok')
    expect(journal()).toEqual(stored.map(readingId))
  })

  test('publishes readings left by the previous process', async () => {
    const { publish } = bus.readings
    const away: Bus = {
      ...bus,
      readings: { ...bus.readings, publish: () => Promise.reject(new Error('away')) },
    }
    const home = bus
    bus = away
    await bus.assignments.put(anAssignment({ intervalSeconds: 1 }))
    const first = await start()
    await until(() => journalLength() >= 2)
    await first.close()
    bus = { ...home, readings: { ...home.readings, publish } }
    const before = journal()
    expect(await readingsInStream()).toEqual([])
    await start()
    const stored = await inStream((all) => all.length >= before.length)
    expect(stored.map(readingId).slice(0, before.length)).toEqual(before)
  })

  test('releases readings marked as stored', async () => {
    const assignment = anAssignment({ intervalSeconds: 1 })
    await bus.assignments.put(assignment)
    const agent = await start()
    await inStream((all) => all.length >= 1)
    await bus.assignments.remove('fra', assignment.checkId)
    await until(() => agent.assignments === 0)
    const partition = partitionOf(assignment.checkId)
    await vi.waitFor(async () => {
      // the reading's message may still be in flight when the check is removed; the mark waits for it
      await bus.persisted.mark('fra', 'fra-1', partition, Number.MAX_SAFE_INTEGER)
      expect(await registry.metrics()).toContain('probe_mesh_agent_spool_readings{region="fra"} 0')
    }, patience)
  })

  test('several regions share one registry, with a label each', async () => {
    await start()
    await start(upRun, 'iad')
    await bus.assignments.put(anAssignment({ intervalSeconds: 1 }))
    await bus.assignments.put(anAssignment({ intervalSeconds: 1, region: 'iad' }))
    await metric('probe_mesh_agent_assignments{region="fra"} 1')
    await metric('probe_mesh_agent_assignments{region="iad"} 1')
    await metric('probe_mesh_agent_readings_total{region="iad",verdict="up"}')
    await metric('probe_mesh_agent_late_seconds_count{region="fra"}')
  })
})

/** An assignment from a newer control plane, outside this version's types. */
const ofALaterVersion = (assignment: object): Assignment => assignment as Assignment

const journalLength = (): number => journal().filter((line) => line !== '').length

/** Waits until the metrics contain a line with this start. */
const metric = async (start: string): Promise<void> =>
  await vi.waitFor(async () => {
    const lines = (await registry.metrics()).split('\n')
    expect(lines.some((line) => line.startsWith(start))).toBe(true)
  }, patience)
