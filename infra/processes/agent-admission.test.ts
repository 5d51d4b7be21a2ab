import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeUser } from '@nats-io/jwt'
import { anAssignment } from '@probe-mesh/bus/contract-suite/fixtures'
import { credentialsFile } from '@probe-mesh/bus/nats/accounts/credentials-file'
import { createSeed, publicKeyOfSeed } from '@probe-mesh/bus/nats/accounts/seeds'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import { partitionOf } from '@probe-mesh/contracts/partition'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { keepKeyring } from '../nats/keyring.ts'
import { readRegister } from '../nats/register.ts'
import { runAgentAct } from '../nats/run-agent-act.ts'
import { runNatsConfig } from '../nats/run.ts'
import { startTestNats } from '../testing/nats.ts'
import type { TestNats } from '../testing/nats.ts'
import { freePorts } from '../testing/processes/free-ports.ts'
import { startTarget } from '../testing/target.ts'
import type { Target } from '../testing/target.ts'

/** Agents as processes, on a server with accounts as an operator's commands write them. */
const program = fileURLToPath(new URL('agent.ts', import.meta.url))
const shim = new URL('../faults/testing/skew.ts', import.meta.url).href
const patience = { timeout: 30_000, interval: 50 }

let folder: string
let nats: TestNats
let control: Bus
let target: Target
const children: ChildProcess[] = []
const quiet = { out: () => {}, error: () => {} }
const admin = async (...args: string[]) =>
  expect(await runAgentAct([...args, '--keys', folder], { NATS_URL: nats.url }, quiet)).toBe(0)
const credentialsOf = (name: string) => join(folder, `${name}.creds`)
const enroll = (region: string, name: string) =>
  admin('enroll', '--region', region, '--name', name, '--out', credentialsOf(name))

const keyOf = async (name: string): Promise<string> =>
  (await readRegister(folder)).agents.find((agent) => agent.name === name)?.key ?? ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-admission-'))
  const args = ['--regions', 'fra,iad', '--out', folder, '--store', join(folder, 'store')]
  expect(await runNatsConfig(args, quiet)).toBe(0)
  ;[nats, target] = await Promise.all([
    startTestNats({ configurationFile: join(folder, 'nats-server.conf') }),
    startTarget(),
  ])
  const { authenticator } = await readNatsCredentials(credentialsOf('control-plane'))
  control = await openNatsBus({
    servers: [nats.url],
    name: 'control',
    ...controlPlaneConnection,
    authenticator,
    topology: { regions: ['fra', 'iad'] },
  })
  await enroll('fra', 'fra-1')
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }
})
afterAll(async () => {
  await control?.close()
  await Promise.all([nats?.close(), target?.close()])
  await rm(folder, { recursive: true, force: true })
})

/** @param dir of its data; agents with one are lives of one installation */
const run = async (agent: string, dir: string, over: Record<string, string> = {}) => {
  const [port] = await freePorts(1)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      REGION: 'fra',
      AGENT: agent,
      NATS_URL: nats.url,
      AGENT_CREDENTIALS: credentialsOf(agent),
      DATA_DIR: join(folder, dir),
      TARGET_ALLOW: '127.0.0.0/8',
      CANARIES: 'none',
      CHROMIUM: 'off',
      PORT: String(port),
      ...over,
    },
  })
  children.push(child)
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said.text += chunk.toString()))
  }
  const ended = once(child, 'exit').then(([code]) => Number(code))
  return { child, ended, said, url: `http://127.0.0.1:${port}` }
}
type Run = Awaited<ReturnType<typeof run>>

const readyzOf = async ({ url }: Run) => {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, ...((await response.json()) as object) }
}
const becomes = (agent: Run, readiness: object) =>
  vi.waitFor(
    async () =>
      expect(await readyzOf(agent), agent.said.text.slice(-3_000)).toMatchObject(readiness),
    patience,
  )
const measures = async (agent: Run) => {
  const assignment = anAssignment({ intervalSeconds: 1, url: target.url('/'), region: 'fra' })
  await becomes(agent, { status: 200 })
  await control.assignments.put(assignment)
  return assignment
}
const readingsOf = async (checkId: string) =>
  (await control.readings.replay(partitionOf(checkId), 1, 1_000_000)).flatMap(
    ({ data, storedAt }) => {
      const message = JSON.parse(Buffer.from(data).toString()) as {
        readings: { checkId: string; slot: number; measuredAt: number }[]
      }
      return message.readings
        .filter((reading) => reading.checkId === checkId)
        .map((reading) => ({ ...reading, storedAt }))
    },
  )

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
  const agent = await run('fra-1', 'misfit', {
    ...over,
    ...(file === undefined ? {} : { AGENT_CREDENTIALS: credentialsOf(file) }),
  })
  expect(await agent.ended).toBe(code)
  expect(agent.said.text).toMatch(line)
})

test('credentials whose file names no region are tried on the server before anything is subscribed', async () => {
  const { seeds } = await keepKeyring(folder, ['fra', 'iad'])
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
  await writeFile(credentialsOf('fra-9'), credentialsFile(token, user), { mode: 0o600 })
  const agent = await run('fra-9', 'untagged', { REGION: 'iad' })
  expect(await agent.ended).toBe(78)
  expect(agent.said.text).toMatch(
    /^The agent cannot go on: AGENT_CREDENTIALS are of region fra \(fra-9\), and REGION is iad: .*\n$/,
  )
})

test(
  'one that is revoked while it runs ends with one line and a code, keeps what it measured, and is refused at its next start',
  { timeout: 90_000 },
  async () => {
    await enroll('fra', 'fra-2')
    const agent = await run('fra-2', 'revoked')
    await measures(agent)
    await admin('revoke', 'fra-2')
    expect(await agent.ended).toBe(77)
    const told = agent.said.text.split('\n').filter((line) => line.includes('revoked'))
    expect(told).toEqual([expect.stringContaining('the agent ends: its credentials were revoked')])
    expect(agent.said.text).not.toContain('nats reports a problem')
    const next = await run('fra-2', 'revoked')
    expect(await next.ended).toBe(77)
    expect(next.said.text).toMatch(/The agent cannot go on: NATS does not let it in.*\n$/)
  },
)

test(
  'new credentials in the file of one whose former ones are revoked keep it running',
  { timeout: 60_000 },
  async () => {
    await enroll('fra', 'fra-3')
    const key = await keyOf('fra-3')
    const agent = await run('fra-3', 'rotated')
    await becomes(agent, { status: 200, bus: 'connected' })
    await admin('rotate', 'fra-3', '--region', 'fra', '--out', credentialsOf('fra-3'))
    await admin('revoke', key)
    await vi.waitFor(() => expect(agent.said.text).toContain('nats is back'), patience)
    await becomes(agent, { status: 200, bus: 'connected' })
    expect(agent.child.exitCode).toBe(null)
  },
)

test(
  'a server that refuses without a reason is not the end: the agent measures on, is not ready, and says so once',
  { timeout: 90_000 },
  async () => {
    await enroll('fra', 'fra-4')
    const agent = await run('fra-4', 'unexplained')
    await measures(agent)
    await nats.kill()
    await becomes(agent, { bus: 'away' })
    // revoked while nobody could tell it so
    await runAgentAct(['revoke', 'fra-4', '--keys', folder], {}, quiet)
    await nats.start()
    await becomes(agent, { status: 503, notReady: ['credentials'] })
    expect(await readyzOf(agent)).toMatchObject({
      problems: [expect.stringContaining('NATS does not let it in')],
    })
    const spooled = async () => {
      const text = await (await fetch(`${agent.url}/metrics`)).text()
      return Number(/agent_spool_readings\{region="fra"\} (\d+)/.exec(text)?.[1])
    }
    const before = await spooled()
    await vi.waitFor(async () => expect(await spooled()).toBeGreaterThan(before), patience)
    expect(agent.said.text.match(/NATS does not let it in/g)).toHaveLength(1)
    expect(agent.child.exitCode).toBe(null)
  },
)

test(
  'of two that run under one name the second waits, says why, and goes on once the first is gone',
  { timeout: 90_000 },
  async () => {
    const first = await run('fra-1', 'first')
    await becomes(first, { status: 200 })
    const second = await run('fra-1', 'second')
    await becomes(second, { status: 503, notReady: ['name', 'assignments', 'members'] })
    expect(await readyzOf(second), second.said.text).toMatchObject({
      problems: [expect.stringContaining('another agent runs as fra-1')],
    })
    // a supervisor starts it again and again: the first is never ended by that
    second.child.kill('SIGTERM')
    expect(await second.ended).toBe(0)
    const again = await run('fra-1', 'second')
    await becomes(again, { status: 503, notReady: ['name', 'assignments', 'members'] })
    expect(await readyzOf(first)).toMatchObject({ status: 200 })
    first.child.kill('SIGKILL')
    await first.ended
    await becomes(again, { status: 200 })
  },
)

test('AGENT that is not the name of its credentials is told', { timeout: 60_000 }, async () => {
  const agent = await run('fra-5', 'other-name', { AGENT_CREDENTIALS: credentialsOf('fra-1') })
  await becomes(agent, { status: 200 })
  expect(agent.said.text).toContain('AGENT is fra-5, and its credentials were issued to fra-1')
  const listed = await control.presence.list('fra')
  expect(listed.find((one) => one.agent === 'fra-5')).toMatchObject({ enrolledAs: 'fra-1' })
})

test.each([90_000, -90_000, 3_700_000])(
  'a clock that is wrong by %i ms is told, and readings stand where they were measured',
  { timeout: 90_000 },
  async (skewMs) => {
    const tellClock = setInterval(() => void control.clock.tell('fra', Date.now), 1_000)
    onTestFinished(() => clearInterval(tellClock))
    await control.clock.tell('fra', Date.now)
    const skewFile = join(folder, 'skew')
    await writeFile(skewFile, String(skewMs))
    const agent = await run('fra-1', `clock-${skewMs}`, {
      NODE_OPTIONS: `--import ${shim}`,
      SKEW_FILE: skewFile,
    })
    const side = skewMs > 0 ? 'ahead of' : 'behind'
    const problem = `the clock of this machine is ${Math.abs(skewMs) / 1_000} s ${side} the control planes'`
    const { checkId } = await measures(agent)
    expect(await readyzOf(agent)).toMatchObject({
      status: 200,
      problems: [expect.stringContaining(problem)],
    })
    expect(agent.said.text).toContain(problem)
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
      const text = await (await fetch(`${agent.url}/metrics`)).text()
      const ahead = Number(/clock_ahead_seconds\{region="fra"\} (\S+)/.exec(text)?.[1])
      expect(Math.abs(ahead - skewMs / 1_000)).toBeLessThan(3)
    }, patience)
    // what it tells of itself is by its own clock: others see how wrong that is
    const [announced] = await control.presence.list('fra')
    expect(Math.abs((announced?.report?.at ?? 0) - Date.now() - skewMs)).toBeLessThan(10_000)
  },
)
