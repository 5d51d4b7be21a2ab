import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { CreatedAgent } from '@probe-mesh/contracts/agent/agent'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { followFlips, type FollowedFlips } from '@probe-mesh/infra/testing/follow-flips'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { granted } from '../testing/granted.ts'

/**
 * A private agent like its owner runs it: a process with the address of the service, its token and its
 * allowed networks. The service has two control planes behind a balancer, on NATS with accounts.
 */

const patience = { timeout: 60_000, interval: 100 }
const timeout = 180_000

const folder = testFolder('private-agent-')
let mesh: Processes
let target: Target
let followed: FollowedFlips
let enrolled: CreatedAgent
let agent: EntryPart
let client: ReturnType<typeof createApiClient>
let checkId: string

beforeAll(async () => {
  await mkdir(join(folder, 'logs'))
  target = await startTarget()
  mesh = await startProcesses({
    regions: ['fra'],
    agentsPerRegion: 1,
    tiers: { scale: { intervalSecondsMin: 1 } },
    budgetScale: 10_000,
  })
  client = createApiClient(mesh)
  followed = await followFlips(mesh.apiUrl, mesh.apiKey)
  enrolled = await granted(client.call('createAgent', { body: { name: 'office' } }))
  const file = join(folder, 'agent.token')
  await writeFile(file, `# office\n${enrolled.token}\n`)
  await chmod(file, 0o600)
  const [port = 0] = await freePorts(1)
  agent = createEntryPart({
    name: 'office',
    entry: 'agent',
    port,
    folder,
    environment: {
      MESH_URL: enrolled.meshUrl,
      AGENT_CREDENTIALS: file,
      // the loopback itself; a range of it would be refused
      PRIVATE_TARGETS: '10.0.0.0/8,127.0.0.1',
      TARGET_ALLOW: '',
      CANARIES: 'none',
    },
  })
  const check = await granted(
    client.call('createCheck', {
      body: {
        name: 'inside',
        url: target.url('/inside'),
        regions: [enrolled.agent.region],
        intervalSeconds: 1,
      },
    }),
  )
  checkId = check.id
}, timeout)
afterAll(async () => {
  await agent?.close()
  await followed?.close()
  await mesh?.close()
  await target?.close()
})

const detail = (): Promise<CheckDetail> => granted(client.call('getCheck', { params: { id: checkId } }))
const becomes = (status: string) =>
  vi.waitFor(async () => expect((await detail()).status).toBe(status), patience)
const presence = async () => {
  const { agents } = await granted(client.call('listAgents', {}))
  return agents[0]?.presence
}
/** Slots of stored readings, oldest first, Unix ms. */
const storedSlots = async (): Promise<number[]> => {
  const input = { params: { id: checkId }, query: { limit: 1_000 } }
  const { readings } = await granted(client.call('listReadings', input))
  const scheduled = readings.filter(({ kind }) => kind === 'scheduled')
  return scheduled.map(({ slot }) => Date.parse(slot)).toSorted((a, b) => a - b)
}
const flipsTo = () => followed.flips.filter((flip) => flip.checkId === checkId).map(({ to }) => to)

test(
  'a private agent measures the networks that its owner allowed, and its result alone is the status',
  async () => {
    expect(await presence()).toBe('never')
    await agent.start()
    await becomes('operational')
    expect(await presence()).toBe('present')
    expect(target.hits('/inside')).toBeGreaterThan(0)
    const { region } = enrolled.agent
    expect(await detail()).toMatchObject({
      private: true,
      regions: [region],
      regionStatuses: [{ region, status: 'up', fresh: true }],
    })
    target.behave('fail')
    await becomes('down')
    target.behave('ok')
    await becomes('operational')
  },
  timeout,
)

test(
  'a private agent runs an on-demand check',
  async () => {
    const run = await granted(client.call('runCheck', { params: { id: checkId } }))
    expect(run).toMatchObject({
      readings: [{ region: enrolled.agent.region, verdict: 'up' }],
      unanswered: [],
    })
  },
  timeout,
)

test(
  'readings taken while disconnected arrive later, each once',
  async () => {
    await followed.close()
    for (const plane of mesh.controlPlanes) await plane.kill()
    const before = target.hits('/inside')
    await vi.waitFor(() => expect(target.hits('/inside')).toBeGreaterThan(before + 5), patience)
    const missedUntil = Date.now()
    await Promise.all(mesh.controlPlanes.map((plane) => plane.start()))
    followed = await followFlips(mesh.apiUrl, mesh.apiKey)
    await vi.waitFor(async () => {
      const slots = await storedSlots()
      expect(slots.at(-1)).toBeGreaterThan(missedUntil)
      // every second of the outage, each once
      expect(new Set(slots.slice(1).map((slot, at) => slot - (slots[at] ?? 0)))).toEqual(new Set([1_000]))
    }, patience)
    await becomes('operational')
  },
  timeout,
)

test(
  'a killed agent makes its check stale, never down; a restarted agent continues',
  async (context) => {
    await followed.close()
    followed = await followFlips(mesh.apiUrl, mesh.apiKey)
    const killedAt = await agent.kill()
    await becomes('stale')
    await recordFigure(
      context,
      `private agent: stale ${Date.now() - killedAt} ms after kill -9, down 0 times`,
    )
    await vi.waitFor(() => expect(flipsTo()).toEqual(['stale']), patience)
    await agent.start()
    await becomes('operational')
    await vi.waitFor(() => expect(flipsTo()).toEqual(['stale', 'operational']), patience)
  },
  timeout,
)

test(
  'no status page and no keyless answer shows a private agent',
  async () => {
    const { statusPages } = await granted(client.call('listStatusPages', {}))
    const answer = await fetch(`${mesh.apiUrl}/status-pages/${statusPages[0]?.id}/components`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${mesh.apiKey}`,
        'content-type': 'application/json',
        'service-client': 'terraform-provider-service/1.0.0',
      },
      body: JSON.stringify({ checkId }),
    })
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'SV-3002' }])
    for (const path of ['services', 'weather', 'internet']) {
      const text = await (await fetch(`${mesh.apiUrl}/public/${path}`)).text()
      expect(text).not.toContain(enrolled.agent.id)
    }
  },
  timeout,
)

test(
  'a revoked agent is refused, logs it and exits, and its check turns stale',
  async () => {
    await granted(client.call('revokeAgent', { params: { id: enrolled.agent.id } }))
    await becomes('stale')
    expect(await presence()).toBe('revoked')
    await vi.waitFor(() => expect(agent.isAlive).toBe(false), patience)
    expect(agent.printed()).toContain('the agent ends: the service refuses it (401): SV-1002')
  },
  timeout,
)
