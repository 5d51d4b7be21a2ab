import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { agentConnection, controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestNats, type TestNats } from '../../testing/nats.ts'
import { runAgentAct } from './run-agent-act.ts'
import { runNatsConfig } from './run.ts'

/** Enrolment against a real server, configured by the operator commands. */
const folder = testFolder('probe-mesh-enrolment-')
let server: TestNats
let control: Bus
const opened: Bus[] = []

const quiet = { out: () => {}, error: () => {} }
const configure = async (regions: string) => {
  const args = ['--regions', regions, '--out', folder, '--store', join(folder, 'store')]
  expect(await runNatsConfig(args, quiet)).toBe(0)
}
const admin = async (args: string[], now?: () => number, url: string | null = server.url) => {
  const output = { out: '', error: '' }
  const code = await runAgentAct(
    [...args, '--keys', folder],
    url === null ? {} : { NATS_URL: url },
    {
      out: (text) => {
        output.out += text
      },
      error: (text) => {
        output.error += text
      },
    },
    now,
  )
  return { code, ...output }
}
const credentialsOf = (name: string) => join(folder, `${name}.creds`)
const enroll = async (region: string, name: string, now?: () => number) => {
  const out = credentialsOf(name)
  const flags = ['--region', region, '--name', name, '--out', out, '--days', '2']
  expect(await admin(['enroll', ...flags], now)).toMatchObject({ code: 0 })
}
const connectAs = async (region: string, name: string): Promise<Bus> => {
  const { authenticator } = await readNatsCredentials(credentialsOf(name))
  const bus = await openNatsBus({
    servers: [server.url],
    name,
    ...agentConnection(region),
    authenticator,
  })
  opened.push(bus)
  return bus
}
const announce = (bus: Bus, region: string, agent: string) =>
  bus.presence.announce({ agent, region, version: '1', startedAt: 1 })
const keyOf = async (name: string): Promise<string[]> => {
  const { out } = await admin(['list', '--json'])
  const { agents } = JSON.parse(out) as { agents: { name: string; key: string }[] }
  return agents.filter((agent) => agent.name === name).map(({ key }) => key)
}
const refused = { name: 'AuthorizationError' }

beforeAll(async () => {
  await configure('fra,iad')
  server = await startTestNats({ configurationFile: join(folder, 'nats-server.conf') })
  const { authenticator } = await readNatsCredentials(join(folder, 'control-plane.creds'))
  control = await openNatsBus({
    servers: [server.url],
    name: 'control',
    ...controlPlaneConnection,
    authenticator,
    topology: { regions: ['fra', 'iad'] },
  })
})
afterEach(async () => {
  for (const bus of opened.splice(0)) await bus.close()
})
afterAll(async () => {
  await control?.close()
  await server?.close()
})

test('an enrolled agent is present in its region and has no access to another', async () => {
  await enroll('fra', 'fra-first')
  const bus = await connectAs('fra', 'fra-first')
  await announce(bus, 'fra', 'fra-first')
  expect(await control.presence.list('fra')).toMatchObject([{ agent: 'fra-first' }])
  await expect(announce(bus, 'iad', 'fra-first')).rejects.toMatchObject({
    name: 'PermissionViolationError',
  })
})

test('a revoked agent is disconnected at once and refused after a restart; other agents stay', async () => {
  await enroll('fra', 'fra-bad')
  await enroll('fra', 'fra-good')
  const [bad, good] = [await connectAs('fra', 'fra-bad'), await connectAs('fra', 'fra-good')]
  await announce(bad, 'fra', 'fra-bad')
  expect(await admin(['revoke', 'fra-bad'])).toMatchObject({ code: 0 })
  await vi.waitFor(async () => {
    await expect(announce(bad, 'fra', 'fra-bad')).rejects.toMatchObject({ name: 'BusUnavailable' })
  })
  await announce(good, 'fra', 'fra-good')
  await expect(connectAs('fra', 'fra-bad')).rejects.toMatchObject(refused)
  await server.kill()
  await server.start()
  await expect(connectAs('fra', 'fra-bad')).rejects.toMatchObject(refused)
  await vi.waitFor(() => announce(good, 'fra', 'fra-good'))
  expect((await admin(['list'])).out).toMatch(/fra-bad +fra +revoked/)
})

test('an agent continues with rotated credentials', async () => {
  await enroll('fra', 'fra-turned')
  const [former = ''] = await keyOf('fra-turned')
  const bus = await connectAs('fra', 'fra-turned')
  const out = ['--out', credentialsOf('fra-turned')]
  expect(await admin(['rotate', 'fra-turned', '--region', 'fra', ...out])).toMatchObject({
    code: 0,
  })
  await announce(bus, 'fra', 'fra-turned')
  expect(await admin(['revoke', former])).toMatchObject({ code: 0 })
  await vi.waitFor(() => announce(bus, 'fra', 'fra-turned'))
  expect((await keyOf('fra-turned')).length).toBe(2)
})

test('credentials expire after their days', async () => {
  await enroll('iad', 'iad-old', () => Date.now() - 3 * 86_400_000)
  await expect(connectAs('iad', 'iad-old')).rejects.toMatchObject(refused)
  expect((await admin(['list'])).out).toMatch(/iad-old +iad +expired/)
})

test('an added region works without a restart, and a removed one is closed', async () => {
  await enroll('iad', 'iad-left')
  await connectAs('iad', 'iad-left')
  await configure('fra,nrt')
  expect(await admin(['tell'])).toMatchObject({ code: 0 })
  await enroll('nrt', 'nrt-new')
  await connectAs('nrt', 'nrt-new')
  await expect(connectAs('iad', 'iad-left')).rejects.toMatchObject({
    name: /Authorization|Unavailable/,
  })
  await configure('fra,iad')
  expect(await admin(['tell'])).toMatchObject({ code: 0 })
  await connectAs('iad', 'iad-left')
})

test('a revocation without a reachable server reports which part is done', async () => {
  await enroll('fra', 'fra-unheard')
  const { code, error } = await admin(['revoke', 'fra-unheard'], undefined, null)
  expect(code).toBe(1)
  expect(error).toContain('no server was updated')
  expect(error).toContain('agent tell')
  await connectAs('fra', 'fra-unheard')
  expect(await admin(['tell'])).toMatchObject({ code: 0 })
  await vi.waitFor(() => expect(connectAs('fra', 'fra-unheard')).rejects.toMatchObject(refused))
})

test.each<[string, string[], string]>([
  ['an unknown region', ['enroll', '--region', 'lhr'], 'lhr is not a region'],
  ['a malformed region', ['enroll', '--region', 'FRA'], 'three lower-case letters'],
  [
    'too many days',
    ['enroll', '--region', 'fra', '--days', '3651'],
    '--days must be a whole number from 1 to 3650',
  ],
  ['no days', ['enroll', '--region', 'fra', '--days', '0'], '--days must be'],
  ['an invalid name', ['enroll', '--region', 'fra', '--name', 'a b'], 'is invalid: use lower-case'],
  ['an existing name', ['enroll', '--region', 'fra', '--name', 'fra-first'], 'exists: rotate it'],
  [
    'a rotation of an unknown agent',
    ['rotate', 'unknown', '--region', 'fra', '--out', 'x'],
    'there is no agent unknown',
  ],
  ['a rotation in another region', ['rotate', 'fra-first', '--region', 'iad', '--out', 'x'], 'agent of fra'],
  ['a revocation of an unknown agent', ['revoke', 'unknown'], 'no valid credentials for unknown'],
  ['an unknown command', ['invite'], 'unknown command: invite'],
  ['an unknown flag', ['list', '--days', '3'], 'no option --days'],
])('%s is refused and changes nothing', async (_, args, problem) => {
  const before = await readFile(join(folder, 'agents.json'), 'utf8')
  const { code, error } = await admin(args)
  expect(code).toBe(1)
  expect(error).toContain(problem)
  expect(await readFile(join(folder, 'agents.json'), 'utf8')).toBe(before)
})

test('an existing file is not overwritten', async () => {
  const out = join(folder, 'precious')
  await writeFile(out, 'precious')
  const { code, error } = await admin(['enroll', '--region', 'fra', '--out', out])
  expect(code).toBe(1)
  expect(error).toContain('exists and was not changed')
  expect(await readFile(out, 'utf8')).toBe('precious')
})
