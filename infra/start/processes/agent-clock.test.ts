import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import {
  patience,
  startAdmittingMesh,
  type AdmittingMesh,
  type AgentRun,
} from '../../testing/admitting-mesh.ts'
import { startTarget, type Target } from '../../testing/target.ts'

const shim = new URL('../../testing/skew.ts', import.meta.url).href

let mesh: AdmittingMesh
let target: Target

beforeAll(async () => {
  ;[mesh, target] = await Promise.all([startAdmittingMesh(), startTarget()])
  await mesh.enroll('fra', 'fra-1')
})
afterEach(() => mesh.killAgents())
afterAll(async () => {
  await mesh?.close()
  await target?.close()
})

const measures = async (agent: AgentRun) => {
  const assignment = anAssignment({ intervalSeconds: 1, url: target.url('/'), region: 'fra' })
  await agent.becomes({ status: 200 })
  await mesh.control.assignments.put(assignment)
  return assignment
}
const readingsOf = async (checkId: string) => {
  const messages = await mesh.control.readings.replay(partitionOf(checkId), 1, 1_000_000)
  return messages.flatMap(({ data, storedAt }) => {
    const { readings } = JSON.parse(Buffer.from(data).toString()) as {
      readings: { checkId: string; slot: number; measuredAt: number }[]
    }
    const own = readings.filter((one) => one.checkId === checkId)
    // as a control plane consumes them
    return own.map((one) => ({ ...Reading.parse(one), storedAt }))
  })
}

test('a second agent with the same name waits, reports why, and starts when the first has ended', async () => {
  const first = await mesh.run('fra-1', 'first')
  await first.becomes({ status: 200 })
  const second = await mesh.run('fra-1', 'second')
  await second.becomes({ status: 503, notReady: ['name', 'assignments', 'members'] })
  expect(await second.readyz(), second.output.text).toMatchObject({
    problems: [expect.stringContaining('another agent runs as fra-1')],
  })
  // restarts of the second agent by a supervisor never end the first
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
  const again = await mesh.run('fra-1', 'second')
  await again.becomes({ status: 503, notReady: ['name', 'assignments', 'members'] })
  expect(await first.readyz()).toMatchObject({ status: 200 })
  first.child.kill('SIGKILL')
  await first.ended
  await again.becomes({ status: 200 })
})

test.each([90_000, -90_000, 3_700_000])(
  'an agent reports a clock that is wrong by %i ms, and its readings have the right time',
  async (skewMs) => {
    const clockTimer = setInterval(() => void mesh.control.clock.tell('fra', Date.now), 1_000)
    onTestFinished(() => clearInterval(clockTimer))
    await mesh.control.clock.tell('fra', Date.now)
    const name = `fra-${Math.abs(skewMs)}-${skewMs > 0 ? 'a' : 'b'}`
    await mesh.enroll('fra', name)
    const skewFile = join(mesh.folder, 'skew')
    await writeFile(skewFile, String(skewMs))
    const agent = await mesh.run(name, 'clock', {
      NODE_OPTIONS: `--import ${shim}`,
      SKEW_FILE: skewFile,
    })
    const side = skewMs > 0 ? 'ahead of' : 'behind'
    const problem = `the clock of this machine is ${Math.abs(skewMs) / 1_000} s ${side} the control planes`
    const { checkId } = await measures(agent)
    expect(await agent.readyz()).toMatchObject({
      status: 200,
      problems: [expect.stringContaining(problem)],
    })
    expect(agent.output.text).toContain(problem)
    const readings = await vi.waitFor(async () => {
      const found = await readingsOf(checkId)
      expect(found.length).toBeGreaterThan(2)
      return found
    }, patience)
    for (const { slot, measuredAt, storedAt } of readings) {
      expect(slot).toBeLessThanOrEqual(storedAt)
      expect(measuredAt).toBeLessThanOrEqual(storedAt)
      expect(storedAt - measuredAt).toBeLessThan(60_000)
    }
    await vi.waitFor(async () => {
      const ahead = await agent.figure('probe_mesh_agent_clock_ahead_seconds')
      expect(Math.abs(ahead - skewMs / 1_000)).toBeLessThan(3)
    }, patience)
    // its own report uses its wrong clock, so that others see the difference
    const listed = await mesh.control.presence.list('fra')
    const announced = listed.find((one) => one.agent === name)
    expect(Math.abs((announced?.report?.at ?? 0) - Date.now() - skewMs)).toBeLessThan(10_000)
  },
)
