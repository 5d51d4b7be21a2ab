import { setTimeout as elapse } from 'node:timers/promises'
import { lagMsMax } from '@probe-mesh/probe-agent/run/loop-lag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { brokenFlips, journalledIds, readJournals, storedIds } from '../../testing/audit.ts'
import { comeToRest } from '../../testing/come-to-rest.ts'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { sampleParts, type Sample } from '../soak/sample.ts'
import { countVerdicts, timedReadings } from '../testing/count-readings.ts'
import { startFaultMesh, type FaultMesh } from '../testing/fault-mesh.ts'

/**
 * Each part of a mesh of processes in turn is dead or frozen for the time of its promise. In the end every
 * journalled reading is stored once.
 */

const outageMs = 60_000
/** The attempt's deadline is 0.8 s, and a reading is fresh for 10.6 s. */
const intervalSeconds = 2
const timeout = 300_000
/** How often, and for how long, an agent is frozen after its minute. */
const moments = 20
const momentMs = 600
/** Descriptors that a restarted connection may keep of its former one. */
const descriptorsMore = 20

let mesh: FaultMesh
/** The descriptors of every part before the first fault. */
let first: Sample[]

beforeAll(async () => {
  mesh = await startFaultMesh({ regions: ['iad', 'fra'], checks: 40, intervalSeconds })
  first = sampleParts([...mesh.parts.controlPlanes, ...mesh.parts.agents], Date.now())
}, 180_000)
afterAll(async () => mesh?.close(), 60_000)

/** The end of settled slots: a run may start late and be tried twice. */
const settled = (): number => Date.now() - 2 * intervalSeconds * 1_000

test(
  'agents keep measuring while NATS is dead for a minute, and the gap raises no alert',
  { timeout },
  async (context) => {
    const { nats } = mesh.parts
    const [watched = ''] = mesh.calm.ids
    const fromMs = await nats.kill()
    const hits = mesh.calm.target.hits()
    await vi.waitFor(async () => expect(await mesh.seen(watched)).toEqual({ status: 'stale', fresh: 0 }), {
      timeout: 30_000,
      interval: 500,
    })
    await elapse(fromMs + outageMs - Date.now())
    const measured = mesh.calm.target.hits() - hits
    const toMs = await nats.start()
    const storedMs = await mesh.awaitStored()
    const ledger = await mesh.ledger(fromMs, settled())
    expect(ledger.unexplained).toEqual([])
    await mesh.awaitStatus(mesh.calm, 'operational')
    expect(await mesh.newStatuses(mesh.calm, fromMs)).toEqual(['operational', 'stale'])
    expect(measured).toBeGreaterThan(0)
    await recordFigure(
      context,
      `NATS dead for ${toMs - fromMs} ms: ${measured} requests at the target meanwhile, 0 of ${ledger.due} slots missed, ` +
        `all stored ${storedMs} ms after it came back, flips to stale and back only`,
    )
  },
)

test(
  'statuses continue while ClickHouse is dead for a minute, and history reports that it is unavailable',
  { timeout },
  async (context) => {
    const { clickhouse, apiUrl, apiKey } = mesh.parts
    const [watched = ''] = mesh.calm.ids
    const fromMs = await clickhouse.kill()
    mesh.changing.target.behave('fail')
    await mesh.awaitStatus(mesh.changing, 'down')
    const downMs = Date.now() - fromMs
    const answer = await fetch(`${apiUrl}/checks/${watched}/series`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'SV-9002' })
    mesh.changing.target.behave('ok')
    await mesh.awaitStatus(mesh.changing, 'operational')
    await elapse(Math.max(0, fromMs + outageMs - Date.now()))
    const toMs = await clickhouse.start()
    const storedMs = await mesh.awaitStored()
    const ledger = await mesh.ledger(fromMs, settled())
    expect(ledger.unexplained).toEqual([])
    expect(await mesh.newStatuses(mesh.calm, fromMs)).toEqual([])
    await recordFigure(
      context,
      `ClickHouse dead for ${toMs - fromMs} ms: ${mesh.changing.ids.length} checks reported down after ${downMs} ms and operational again meanwhile, ` +
        `${ledger.due} slots stored ${storedMs} ms after it came back`,
    )
  },
)

test(
  'while Postgres is dead the API answers with Retry-After, and nothing is judged twice',
  { timeout },
  async (context) => {
    const { postgres, apiUrl, apiKey } = mesh.parts
    const [watched = ''] = mesh.calm.ids
    const fromMs = await postgres.kill()
    const refused = await vi.waitFor(async () => {
      const answer = await fetch(`${apiUrl}/checks/${watched}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      const problem: unknown = await answer.json()
      expect(problem).toMatchObject({ code: 'SV-9002' })
      return answer
    })
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await elapse(15_000)
    const toMs = await postgres.start()
    await mesh.awaitStatus(mesh.calm, 'operational')
    const storedMs = await mesh.awaitStored()
    const ledger = await mesh.ledger(fromMs, settled())
    expect(ledger.unexplained).toEqual([])
    expect((await mesh.newStatuses(mesh.calm, fromMs)).filter((to) => to === 'down')).toEqual([])
    expect(await brokenFlips(mesh.sql)).toEqual([])
    await recordFigure(
      context,
      `Postgres dead for ${toMs - fromMs} ms: SV-9002 with Retry-After ${refused.headers.get('retry-after')}, ` +
        `${ledger.due} slots stored ${storedMs} ms after everything was judged again`,
    )
  },
)

test(
  'failures during a freeze of both control planes for a minute raise no alert afterwards',
  { timeout },
  async (context) => {
    const fromMs = Date.now()
    for (const part of mesh.parts.controlPlanes) part.pause()
    await elapse(5_000)
    mesh.changing.target.behave('fail')
    await elapse(20_000)
    mesh.changing.target.behave('ok')
    await elapse(fromMs + outageMs - Date.now())
    for (const part of mesh.parts.controlPlanes) part.resume()
    const toMs = Date.now()
    await mesh.awaitStatus(mesh.changing, 'operational')
    const storedMs = await mesh.awaitStored()
    const failed = await countVerdicts(mesh.clickhouse, 'down', {
      checkIds: mesh.changing.ids,
      sinceMs: fromMs,
    })
    expect(failed).toBeGreaterThan(0)
    const went = await mesh.newStatuses(mesh.changing, fromMs)
    expect(went.filter((to) => to !== 'stale' && to !== 'operational')).toEqual([])
    const ledger = await mesh.ledger(fromMs, settled())
    expect(ledger.unexplained).toEqual([])
    await recordFigure(
      context,
      `no control plane consumed readings for ${toMs - fromMs} ms: ${ledger.due} slots stored within ${storedMs} ms, ` +
        `${failed} readings of an outage that was over among them, 0 flips to down`,
    )
  },
)

test(
  'an agent frozen for a minute, and then for moments, reports no target down and no latency of its own',
  { timeout },
  async (context) => {
    const [agent] = mesh.parts.agents
    if (agent === undefined) throw new Error('this test needs an agent')
    // so that there is always a run in progress
    mesh.changing.target.behave('slow')
    const fromMs = Date.now()
    agent.pause()
    await elapse(outageMs)
    agent.resume()
    const toMs = Date.now()
    const still = [{ fromMs, toMs }]
    for (let n = 0; n < moments; n++) {
      await elapse(1_000 + n * 37)
      const stoppedAt = Date.now()
      agent.pause()
      await elapse(momentMs)
      still.push({ fromMs: stoppedAt, toMs: Date.now() })
      agent.resume()
    }
    await elapse(2 * intervalSeconds * 1_000)
    await mesh.awaitStored()
    mesh.changing.target.behave('ok')
    const checkIds = [...mesh.calm.ids, ...mesh.changing.ids]
    const readings = { checkIds, sinceMs: fromMs }
    const accused = await countVerdicts(mesh.clickhouse, 'down', readings)
    const unmeasured = await countVerdicts(mesh.clickhouse, 'unmeasured', readings)
    expect(accused).toBe(0)
    expect(await mesh.newStatuses(mesh.calm, fromMs)).toEqual([])
    // another agent may have measured a slot while this one was frozen
    const journals = await readJournals(mesh.parts.journalDir)
    const ran = [...journals].reduce(
      (own, [name, ids]) => (name === agent.name ? own : own.difference(ids)),
      journals.get(agent.name) ?? new Set<string>(),
    )
    const timed = (await timedReadings(mesh.clickhouse, agent.region, readings)).filter(({ id }) =>
      ran.has(id),
    )
    const ours = timed.filter(({ measuredMs, latencyMs }) =>
      still.some(
        (span) =>
          Math.min(span.toMs, measuredMs + latencyMs) - Math.max(span.fromMs, measuredMs) > 2 * lagMsMax,
      ),
    )
    expect(ours).toEqual([])
    const ledger = await mesh.ledger(fromMs, settled(), [
      { agent: agent.name, region: agent.region, fromMs, toMs: Date.now() },
    ])
    expect(ledger.unexplained).toEqual([])
    await recordFigure(
      context,
      `${agent.name} frozen for ${toMs - fromMs} ms and ${moments} times for ${momentMs} ms: 0 readings down, ${unmeasured} unmeasured, ` +
        `${ledger.missed} of ${ledger.due} slots missed, ${ours.length} of its ${timed.length} latencies include a freeze`,
    )
  },
)

test('the outages left no descriptor open in the surviving processes', async (context) => {
  const parts = [...mesh.parts.controlPlanes, ...mesh.parts.agents]
  const last = sampleParts(parts, Date.now())
  const grown = last.map(({ part, mib, descriptors, pid }) => {
    const before = first.find((one) => one.part === part)
    expect(before?.pid).toBe(pid)
    return {
      part,
      descriptors: descriptors - (before?.descriptors ?? 0),
      text: `${part} ${before?.descriptors}->${descriptors} descriptors, ${before?.mib.toFixed(0)}->${mib.toFixed(0)} MiB`,
    }
  })
  await recordFigure(context, grown.map(({ text }) => text).join(', '))
  expect(grown.filter(({ descriptors }) => descriptors > descriptorsMore)).toEqual([])
})

test(
  'under load SIGTERM makes agents and control planes unready, then ends them with 0 within 15 s',
  { timeout },
  async (context) => {
    mesh.changing.target.behave('hang')
    const [agent, ...agents] = mesh.parts.agents
    const [, controlPlane] = mesh.parts.controlPlanes
    if (agent === undefined || controlPlane === undefined)
      throw new Error('this test needs an agent and a control plane')
    const inProgress = await vi.waitFor(async () => {
      const count = await agent.metric('probe_mesh_agent_runs_in_progress')
      expect(count).toBeGreaterThan(0)
      return count
    })
    const statuses: number[] = []
    const took: string[] = []
    for (const part of [agent, controlPlane]) {
      const startedAt = performance.now()
      const over = new AbortController()
      const polling = (async () => {
        while (!over.signal.aborted) {
          const answer = await fetch(`${part.url}/readyz`).catch(() => null)
          if (answer !== null && part === agent) statuses.push(answer.status)
          await elapse(20)
        }
      })()
      const code = await part.stop()
      over.abort()
      await polling
      const ms = performance.now() - startedAt
      took.push(`${part.name} ${ms.toFixed(0)} ms`)
      expect(code).toBe(0)
      expect(ms).toBeLessThan(15_000)
    }
    expect(statuses.at(-1)).toBe(503)
    mesh.changing.target.behave('ok')
    await Promise.all([agent.start(), controlPlane.start()])
    expect(agents.every((one) => one.isAlive)).toBe(true)
    await mesh.awaitStatus(mesh.changing, 'operational')
    await mesh.awaitStored()
    await recordFigure(context, `${inProgress} runs in progress; ended with 0: ${took.join(', ')}`)
  },
)

test(
  'afterwards every reading is stored once and every flip is notified once',
  { timeout },
  async (context) => {
    await comeToRest(mesh.parts, mesh.sql)
    const stored = await storedIds(mesh.clickhouse)
    const unique = new Set(stored)
    expect(stored.length - unique.size).toBe(0)
    expect(unique.symmetricDifference(await journalledIds(mesh.parts.journalDir))).toEqual(new Set())
    expect(await brokenFlips(mesh.sql)).toEqual([])
    await recordFigure(context, `${stored.length} readings stored, 0 lost, 0 twice`)
  },
)
