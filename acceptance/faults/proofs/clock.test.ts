import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { brokenFlips, journalledIds, storedIds } from '../../testing/audit.ts'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { readMetric } from '@probe-mesh/infra/testing/processes/metric'
import { send } from '@probe-mesh/infra/testing/processes/part'
import { startFaultMesh, type FaultMesh } from '../testing/fault-mesh.ts'

/**
 * The system clocks of one region's agents are wrong by seconds and by hours, and are corrected each time.
 * Those of the other region are right.
 */

const shim = new URL('../../../infra/testing/skew.ts', import.meta.url).href
const intervalSeconds = 1
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The offset of the clock, and for how long. A right clock follows each. */
const skews = [
  { offsetMs: 30_000, forMs: 10_000 },
  { offsetMs: -30_000, forMs: 10_000 },
  { offsetMs: hourMs, forMs: 15_000 },
  { offsetMs: -hourMs, forMs: 15_000 },
  { offsetMs: 24 * hourMs, forMs: 10_000 },
]

const folder = testFolder('skew-')
let skewFile: string
let mesh: FaultMesh

beforeAll(async () => {
  skewFile = join(folder, 'skew')
  await writeFile(skewFile, '0')
  mesh = await startFaultMesh({
    regions: ['iad', 'fra'],
    agentsPerRegion: 1,
    checks: 20,
    intervalSeconds,
    environmentOf: (agent): Record<string, string> =>
      agent.startsWith('fra') ? { NODE_OPTIONS: `--import ${shim}`, SKEW_FILE: skewFile } : {},
  })
}, 180_000)
afterAll(async () => {
  await mesh?.close()
}, 60_000)

const agentOfFra = () => mesh.parts.agents.find(({ region }) => region === 'fra')

/** The agent reports the offset of its clock. */
const reportsSkew = (offsetMs: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const figure = 'probe_mesh_agent_clock_ahead_seconds'
      const aheadSeconds = await readMetric(agentOfFra()?.url ?? '', figure)
      expect(Math.abs(aheadSeconds - offsetMs / 1_000)).toBeLessThan(5)
    },
    { timeout: 60_000, interval: 500 },
  )

const setSkew = async (offsetMs: number): Promise<void> => {
  await writeFile(skewFile, String(offsetMs))
  const [pid] = agentOfFra()?.processIds() ?? []
  if (pid === undefined) throw new Error('the agent of fra is not running')
  send(pid, 'SIGUSR2')
}

/** Both regions measure and have fresh readings. */
const isWhole = (): Promise<void> =>
  vi.waitFor(
    async () => expect(await mesh.seen(mesh.calm.ids[0] ?? '')).toEqual({ status: 'operational', fresh: 2 }),
    { timeout: 120_000, interval: 500 },
  )

test(
  'a clock wrong by seconds or hours runs no slot twice and causes no outage, and the region measures again once it is right',
  { timeout: 600_000 },
  async (context) => {
    await isWhole()
    const fromMs = Date.now()
    const back: string[] = []
    for (const { offsetMs, forMs } of skews) {
      await setSkew(offsetMs)
      await reportsSkew(offsetMs)
      await elapse(forMs)
      await setSkew(0)
      const rightAt = performance.now()
      await isWhole()
      back.push(`${offsetMs / 1_000} s: whole after ${Math.round(performance.now() - rightAt)} ms`)
    }
    await elapse(2 * intervalSeconds * 1_000)
    const endMs = Date.now()
    expect(await mesh.newStatuses(mesh.calm, fromMs)).toEqual([])

    const lines = (await readFile(join(mesh.parts.journalDir, 'fra-1'), 'utf8')).trim().split('\n')
    const twice = lines.length - new Set(lines).size
    expect(twice).toBe(0)
    const journalled = [...(await journalledIds(mesh.parts.journalDir))]
    const believable = new Set(journalled.filter((id) => slotOf(id) <= endMs + limits.clockSkewMsMax))
    const stored = await vi.waitFor(
      async () => {
        const ids = await storedIds(mesh.clickhouse)
        expect(believable.difference(new Set(ids)).size).toBe(0)
        return ids
      },
      { timeout: 60_000, interval: 500 },
    )
    expect(stored.length - new Set(stored).size).toBe(0)
    const ahead = lines.filter((id) => slotOf(id) > endMs + limits.clockSkewMsMax)
    expect(new Set(stored).intersection(new Set(ahead))).toEqual(new Set())
    const { negative, slowest } = await latencies()
    expect({ negative, isLong: slowest >= 30_000 }).toEqual({ negative: 0, isLong: false })
    expect(await brokenFlips(mesh.sql)).toEqual([])
    await recordFigure(
      context,
      `${back.join(', ')}; ${lines.length} slots run, ${twice} twice, ${ahead.length} from too far ahead set aside, 0 flips, ` +
        `the longest latency ${slowest.toFixed(0)} ms`,
    )
  },
)

/** `<check>:<region>:<slot>` */
const slotOf = (id: string): number => Number(id.split(':')[2])

const latencies = async (): Promise<{ negative: number; slowest: number }> => {
  const result = await mesh.clickhouse.query({
    query: `select toUInt32(countIf(latency_ms < 0)) as negative, toFloat64(max(latency_ms)) as slowest from readings_raw`,
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ negative: number; slowest: number }>()
  return row ?? { negative: 0, slowest: 0 }
}
