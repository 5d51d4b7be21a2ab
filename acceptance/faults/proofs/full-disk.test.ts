import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { startAgentStage, type AgentStage } from '../testing/agent-stage.ts'

/** An agent with a disk of 2 MB and no consumer for its readings. */

const diskBytes = 2 * 1024 * 1024
const checks = 400
const failing = 20
/** The disk has space for some thousand readings, and memory for a thousand in each of 16 partitions. */
const patience = { timeout: 240_000, interval: 250 }

let stage: AgentStage
let agent: EntryPart

beforeAll(async () => {
  stage = await startAgentStage()
  const disk = join(stage.folder, 'fra-1')
  await mkdir(disk)
  // A mount that only this process sees, also after exec.
  const mounted = `mount -t tmpfs -o size=${diskBytes} tmpfs "$0" && exec "$@"`
  agent = await stage.agent('fra-1', {
    through: ['unshare', '--map-root-user', '--mount', 'sh', '-c', mounted, disk],
  })
}, 60_000)
afterAll(async () => stage?.close(), 60_000)

const dropped = () => agent.metric('probe_mesh_agent_readings_dropped_total')
const made = (labels?: { verdict: string }) => agent.metric('probe_mesh_agent_readings_total', labels)
const keptDown = () => [...stage.kept.readings.values()].filter(({ verdict }) => verdict === 'down').length

test(
  'on a full disk an agent keeps measuring, drops up readings first, counts each drop, and delivers again after recovery',
  { timeout: 900_000 },
  async (context) => {
    await agent.start()
    const assigned = [
      ...Array.from({ length: checks }, (_, n) => stage.target.url(`/${n}`)),
      // no server listens there
      ...Array.from({ length: failing }, () => 'http://127.0.0.1:9/'),
    ].map((url) => stage.assign({ url }))
    await vi.waitFor(() => expect(stage.kept.readings.size).toBeGreaterThan(checks), patience)
    await stage.nats.kill()
    await vi.waitFor(async () => expect(await dropped()).toBeGreaterThan(10 * checks), patience)
    const hits = stage.target.hits()
    await vi.waitFor(() => expect(stage.target.hits()).toBeGreaterThan(hits + 3 * checks), patience)
    const atReturn = { made: await made(), dropped: await dropped() }
    await stage.nats.start()
    for (const { region, checkId } of await Promise.all(assigned)) {
      await vi.waitFor(() => stage.bus.assignments.remove(region, checkId), patience)
    }
    await vi.waitFor(async () => {
      expect(await agent.metric('probe_mesh_agent_assignments')).toBe(0)
      expect(stage.kept.readings.size + (await dropped())).toBe(await made())
    }, patience)
    expect(keptDown()).toBe(await made({ verdict: 'down' }))
    expect(stage.kept.refused).toEqual([])
    const totals = { made: await made(), dropped: await dropped(), down: keptDown() }
    expect(await agent.stop()).toBe(0)
    await recordFigure(
      context,
      `a disk of ${diskBytes} bytes: ${atReturn.made} readings made until NATS came back, ${atReturn.dropped} dropped and counted; ` +
        `in the end ${totals.made} made = ${stage.kept.readings.size} stored + ${totals.dropped} dropped, all ${totals.down} that were down among the stored`,
    )
  },
)
