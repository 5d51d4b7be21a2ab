import { writeFile } from 'node:fs/promises'
import { encodeUser } from '@nats-io/jwt'
import { credentialsFile } from '@probe-mesh/bus/nats/credentials'
import { createSeed, publicKeyOfSeed } from '@probe-mesh/bus/nats/seeds'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { keepKeyring } from '../../deploy/nats/keyring.ts'
import { readRegister } from '../../deploy/nats/register.ts'
import { patience, startAdmittingMesh, type AdmittingMesh } from '../../testing/admitting-mesh.ts'

let mesh: AdmittingMesh

beforeAll(async () => {
  mesh = await startAdmittingMesh()
  await mesh.enroll('fra', 'fra-1')
})
afterEach(() => mesh.killAgents())
afterAll(() => mesh?.close())

const keyOf = async (name: string): Promise<string> =>
  (await readRegister(mesh.folder)).agents.find((agent) => agent.name === name)?.key ?? ''

test.each<[string, Record<string, string>, RegExp, number]>([
  [
    "another region's credentials",
    { REGION: 'iad' },
    /^The agent cannot continue: AGENT_CREDENTIALS are of region fra \(fra-1\), and REGION is iad: .*enroll --region iad.*\n$/,
    78,
  ],
  [
    "a control plane's credentials",
    { AGENT_CREDENTIALS: 'control-plane' },
    /^The agent cannot continue: AGENT_CREDENTIALS are a control plane's: .*\n$/,
    78,
  ],
  [
    'an unknown region',
    { REGION: 'sjc' },
    /^The agent cannot continue: AGENT_CREDENTIALS are of region fra \(fra-1\), and REGION is sjc: .*\n$/,
    78,
  ],
])('an agent with %s exits with one line and a code', async (_, over, line, code) => {
  const file = over['AGENT_CREDENTIALS']
  const agent = await mesh.run('fra-1', 'misfit', {
    ...over,
    ...(file === undefined ? {} : { AGENT_CREDENTIALS: mesh.credentialsOf(file) }),
  })
  expect(await agent.ended).toBe(code)
  expect(agent.output.text).toMatch(line)
})

test('an agent checks credentials without a region on the server before it subscribes', async () => {
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
  expect(agent.output.text).toMatch(
    /^The agent cannot continue: AGENT_CREDENTIALS are of region fra \(fra-9\), and REGION is iad: .*\n$/,
  )
})

test('an agent whose credentials are revoked continues with new ones in the same file', async () => {
  await mesh.enroll('fra', 'fra-3')
  const key = await keyOf('fra-3')
  const agent = await mesh.run('fra-3', 'rotated')
  await agent.becomes({ status: 200, bus: 'connected' })
  const out = ['--out', mesh.credentialsOf('fra-3')]
  expect(await mesh.admin(['rotate', 'fra-3', '--region', 'fra', ...out])).toBe(0)
  expect(await mesh.admin(['revoke', key])).toBe(0)
  await vi.waitFor(() => expect(agent.output.text).toContain('nats is available again'), patience)
  await agent.becomes({ status: 200, bus: 'connected' })
  expect(agent.child.exitCode).toBe(null)
})

test('an agent reports an AGENT that differs from the name in its credentials', async () => {
  const agent = await mesh.run('fra-5', 'other-name', {
    AGENT_CREDENTIALS: mesh.credentialsOf('fra-1'),
  })
  await agent.becomes({ status: 200 })
  expect(agent.output.text).toContain('AGENT is fra-5, and its credentials were issued to fra-1')
  const listed = await mesh.control.presence.list('fra')
  expect(listed.find((one) => one.agent === 'fra-5')).toMatchObject({ enrolledAs: 'fra-1' })
})
