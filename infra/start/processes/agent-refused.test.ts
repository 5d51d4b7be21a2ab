import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { connectionFindings } from '../../operate/doctor/findings/connection-findings.ts'
import { gatherOperator } from '../../operate/doctor/gather/operator.ts'
import {
  patience,
  startAdmittingMesh,
  type AdmittingMesh,
  type AgentRun,
} from '../../testing/admitting-mesh.ts'
import { startTarget, type Target } from '../../testing/target.ts'

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
  await agent.becomes({ status: 200 })
  const url = target.url('/')
  await mesh.control.assignments.put(anAssignment({ intervalSeconds: 1, url, region: 'fra' }))
  const begun = () => agent.figure('probe_mesh_agent_spool_readings')
  await vi.waitFor(async () => expect(await begun()).toBeGreaterThan(0), patience)
}

test('an agent revoked while it runs exits with one line and a code, keeps its readings, and is refused at the next start', async () => {
  await mesh.enroll('fra', 'fra-2')
  const agent = await mesh.run('fra-2', 'revoked')
  await measures(agent)
  expect(await mesh.admin(['revoke', 'fra-2'])).toBe(0)
  expect(await agent.ended).toBe(77)
  const revoked = agent.output.text.split('\n').filter((line) => line.includes('revoked'))
  expect(revoked).toEqual([expect.stringContaining('the agent ends: its credentials were revoked')])
  expect(agent.output.text).not.toContain('nats reports a problem')
  const next = await mesh.run('fra-2', 'revoked')
  expect(await next.ended).toBe(77)
  expect(next.output.text).toMatch(/The agent cannot continue: NATS refuses it.*\n$/)
  const facts = await gatherOperator(mesh.folder, [mesh.nats.url])
  const { agents, regions } = facts?.register ?? { agents: [], regions: [] }
  const connections = facts?.connections ?? []
  expect(connectionFindings({ connections, enrolments: agents, regions }, Date.now())).toMatchObject([
    {
      message: expect.stringMatching(/^NATS refuses fra-2 .*revoked/),
      next: expect.stringContaining('agent enroll --region fra --name fra-2'),
    },
  ])
})

test('an agent that a server refuses without a reason continues to measure, is not ready, and logs it once', async () => {
  await mesh.enroll('fra', 'fra-4')
  const agent = await mesh.run('fra-4', 'unexplained')
  await measures(agent)
  await mesh.nats.kill()
  await agent.becomes({ bus: 'away' })
  // revoked while it could not be notified
  expect(await mesh.admin(['revoke', 'fra-4'], null)).toBe(1)
  await mesh.nats.start()
  await agent.becomes({ status: 503, notReady: ['credentials'] })
  expect(await agent.readyz()).toMatchObject({
    problems: [expect.stringContaining('NATS refuses it')],
  })
  const spooled = () => agent.figure('probe_mesh_agent_spool_readings')
  const before = await spooled()
  await vi.waitFor(async () => expect(await spooled()).toBeGreaterThan(before), patience)
  expect(agent.output.text.match(/NATS refuses it/g)).toHaveLength(1)
  expect(agent.child.exitCode).toBe(null)
})
