import { writeFile } from 'node:fs/promises'
import { encodeUser } from '@nats-io/jwt'
import { anAssignment } from '@probe-mesh/bus/contract-suite/fixtures'
import { credentialsFile } from '@probe-mesh/bus/nats/accounts/credentials-file'
import { createSeed, publicKeyOfSeed } from '@probe-mesh/bus/nats/accounts/seeds'
import type { BusFacts } from '@probe-mesh/bus/nats/inspect'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { knockFindings } from '../doctor/findings/knock-findings.ts'
import { gatherKnocks } from '../doctor/gather/knocks.ts'
import { keepKeyring } from '../nats/keyring.ts'
import { readRegister } from '../nats/register.ts'
import { patience, startAdmittingMesh } from '../testing/admitting-mesh.ts'
import type { AdmittingMesh, AgentRun } from '../testing/admitting-mesh.ts'
import { startTarget } from '../testing/target.ts'
import type { Target } from '../testing/target.ts'

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

const keyOf = async (name: string): Promise<string> =>
  (await readRegister(mesh.folder)).agents.find((agent) => agent.name === name)?.key ?? ''

const measures = async (agent: AgentRun) => {
  await agent.becomes({ status: 200 })
  const url = target.url('/')
  await mesh.control.assignments.put(anAssignment({ intervalSeconds: 1, url, region: 'fra' }))
  const begun = () => agent.figure('probe_mesh_agent_spool_readings')
  await vi.waitFor(async () => expect(await begun()).toBeGreaterThan(0), patience)
}

test.each<[string, Record<string, string>, RegExp, number]>([
  [
    "another region's credentials",
    { REGION: 'iad' },
    /^The agent cannot go on: AGENT_CREDENTIALS are of region fra \(fra-1\), and REGION is iad: .*enroll --region iad.*\n$/,
    78,
  ],
  [
    "a control plane's credentials",
    { AGENT_CREDENTIALS: 'control-plane' },
    /^The agent cannot go on: AGENT_CREDENTIALS are a control plane's: .*\n$/,
    78,
  ],
  [
    'a region that the mesh does not have',
    { REGION: 'sjc' },
    /^The agent cannot go on: AGENT_CREDENTIALS are of region fra \(fra-1\), and REGION is sjc: .*\n$/,
    78,
  ],
])('%s end the start with one line and a code', async (_, over, line, code) => {
  const file = over['AGENT_CREDENTIALS']
  const agent = await mesh.run('fra-1', 'misfit', {
    ...over,
    ...(file === undefined ? {} : { AGENT_CREDENTIALS: mesh.credentialsOf(file) }),
  })
  expect(await agent.ended).toBe(code)
  expect(agent.said.text).toMatch(line)
})

test('credentials whose file names no region are tried on the server before anything is subscribed', async () => {
  const { seeds } = await keepKeyring(mesh.folder, ['fra', 'iad'])
  const of = seeds.regions.get('fra')
  if (of === undefined) throw new Error('there is no region fra')
  const user = createSeed('user')
  const token = await encodeUser(
    'fra-9',
    user,
    publicKeyOfSeed(of.account),
    {},
    { signer: of.users, scopedUser: true },
  )
  await writeFile(mesh.credentialsOf('fra-9'), credentialsFile(token, user), { mode: 0o600 })
  const agent = await mesh.run('fra-9', 'untagged', { REGION: 'iad' })
  expect(await agent.ended).toBe(78)
  expect(agent.said.text).toMatch(
    /^The agent cannot go on: AGENT_CREDENTIALS are of region fra \(fra-9\), and REGION is iad: .*\n$/,
  )
})

test(
  'one that is revoked while it runs ends with one line and a code, keeps what it measured, and is refused at its next start',
  { timeout: 90_000 },
  async () => {
    await mesh.enroll('fra', 'fra-2')
    const agent = await mesh.run('fra-2', 'revoked')
    await measures(agent)
    expect(await mesh.admin(['revoke', 'fra-2'])).toBe(0)
    expect(await agent.ended).toBe(77)
    const told = agent.said.text.split('\n').filter((line) => line.includes('revoked'))
    expect(told).toEqual([expect.stringContaining('the agent ends: its credentials were revoked')])
    expect(agent.said.text).not.toContain('nats reports a problem')
    const next = await mesh.run('fra-2', 'revoked')
    expect(await next.ended).toBe(77)
    expect(next.said.text).toMatch(/The agent cannot go on: NATS does not let it in.*\n$/)
    const facts = await gatherKnocks([mesh.nats.url], mesh.folder)
    const found = knockFindings({ ok: true, facts }, [], Date.now())
    expect(found).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(
          /^fra-2 knocks and is not let in .*: its credentials were revoked/,
        ),
        next: expect.stringContaining('agent enroll --region fra --name fra-2'),
      },
    ])
    const live = [{ region: 'fra', agents: [{ agent: 'fra-2' }] }] as unknown as BusFacts['regions']
    expect(knockFindings({ ok: true, facts }, live, Date.now())).toEqual([])
  },
)

test(
  'new credentials in the file of one whose former ones are revoked keep it running',
  { timeout: 60_000 },
  async () => {
    await mesh.enroll('fra', 'fra-3')
    const key = await keyOf('fra-3')
    const agent = await mesh.run('fra-3', 'rotated')
    await agent.becomes({ status: 200, bus: 'connected' })
    const out = ['--out', mesh.credentialsOf('fra-3')]
    expect(await mesh.admin(['rotate', 'fra-3', '--region', 'fra', ...out])).toBe(0)
    expect(await mesh.admin(['revoke', key])).toBe(0)
    await vi.waitFor(() => expect(agent.said.text).toContain('nats is back'), patience)
    await agent.becomes({ status: 200, bus: 'connected' })
    expect(agent.child.exitCode).toBe(null)
  },
)

test(
  'a server that refuses without a reason is not the end: the agent measures on, is not ready, and says so once',
  { timeout: 90_000 },
  async () => {
    await mesh.enroll('fra', 'fra-4')
    const agent = await mesh.run('fra-4', 'unexplained')
    await measures(agent)
    await mesh.nats.kill()
    await agent.becomes({ bus: 'away' })
    // revoked while nobody could tell it so
    expect(await mesh.admin(['revoke', 'fra-4'], null)).toBe(1)
    await mesh.nats.start()
    await agent.becomes({ status: 503, notReady: ['credentials'] })
    expect(await agent.readyz()).toMatchObject({
      problems: [expect.stringContaining('NATS does not let it in')],
    })
    const spooled = () => agent.figure('probe_mesh_agent_spool_readings')
    const before = await spooled()
    await vi.waitFor(async () => expect(await spooled()).toBeGreaterThan(before), patience)
    expect(agent.said.text.match(/NATS does not let it in/g)).toHaveLength(1)
    expect(agent.child.exitCode).toBe(null)
  },
)

test('AGENT that is not the name of its credentials is told', { timeout: 60_000 }, async () => {
  const agent = await mesh.run('fra-5', 'other-name', {
    AGENT_CREDENTIALS: mesh.credentialsOf('fra-1'),
  })
  await agent.becomes({ status: 200 })
  expect(agent.said.text).toContain('AGENT is fra-5, and its credentials were issued to fra-1')
  const listed = await mesh.control.presence.list('fra')
  expect(listed.find((one) => one.agent === 'fra-5')).toMatchObject({ enrolledAs: 'fra-1' })
})
