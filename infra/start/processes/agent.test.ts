import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { testFolder } from '../../testing/folder.ts'
import { useOnce } from '../../testing/use.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { startTestNats } from '../../testing/nats.ts'
import { freePorts } from '../../testing/processes/free-ports.ts'
import { startTarget } from '../../testing/target.ts'

const program = fileURLToPath(new URL('agent.ts', import.meta.url))
const patience = { interval: 50 }

const folder = testFolder('agent-process-')
const children: ChildProcess[] = []

const target = useOnce(() => startTarget())
const nats = useOnce(() => startTestNats())
const bus = useOnce(() =>
  openNatsBus({
    servers: [nats.url],
    name: 'the control plane of a test',
    topology: { regions: ['fra'] },
  }),
)
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }
})

const run = (environment: Record<string, string>, args: string[] = []) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...environment },
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const ended = once(child, 'exit').then(([code]) => Number(code))
  return { child, ended, output: () => output }
}

/** Starts an agent and returns it with its address. */
const startAgentProcess = async (dataDir: string) => {
  const started = run({
    REGION: 'fra',
    AGENT: 'fra-1',
    NATS_URL: nats.url,
    DATA_DIR: join(folder, dataDir),
    TARGET_ALLOW: '127.0.0.0/8',
    CANARIES: 'none',
    PORT: '0',
  })
  const url = await vi.waitFor(() => {
    const found = /"health":"(http:[^"]+)"/.exec(started.output())?.[1]
    if (found === undefined) throw new Error(`the agent does not run yet: ${started.output()}`)
    return found
  }, patience)
  const ready = async () => {
    const response = await fetch(`${url}/readyz`)
    return { status: response.status, ...((await response.json()) as object) }
  }
  const becomes = (readiness: object) =>
    vi.waitFor(async () => expect(await ready()).toEqual(readiness), patience)
  return { ...started, url, becomes }
}

const isReady = { status: 200, ready: true, notReady: [] }

test('--help prints the environment and exits', async () => {
  const { ended, output } = run({}, ['--help'])
  expect(await ended).toBe(0)
  for (const name of ['REGION', 'NATS_URL', 'AGENT_CREDENTIALS']) expect(output()).toContain(name)
})

test('an agent with wrong flags or settings lists every problem and exits', async () => {
  const flag = run({}, ['--region'])
  const wrong = run({ REGION: 'europe', NATS_URL: 'http://u:hunter2@x', PORT: 'x' })
  expect([await flag.ended, await wrong.ended]).toEqual([1, 1])
  expect(flag.output()).toContain('--region')
  for (const name of ['REGION', 'NATS_URL', 'PORT']) expect(wrong.output()).toContain(`  - ${name}`)
  expect(wrong.output()).not.toContain('hunter2')
})

test('an agent with unreadable credentials exits', async () => {
  const AGENT_CREDENTIALS = join(folder, 'none.nk')
  const DATA_DIR = join(folder, 'no-credentials')
  const agent = run({ REGION: 'fra', NATS_URL: nats.url, PORT: '0', DATA_DIR, AGENT_CREDENTIALS })
  expect(await agent.ended).toBe(1)
  expect(agent.output()).toContain('none.nk')
})

test('an agent reports an unknown region on a server without credentials', async () => {
  const [port] = await freePorts(1)
  run({
    REGION: 'sjc',
    NATS_URL: nats.url,
    DATA_DIR: join(folder, 'no-region'),
    CANARIES: 'none',
    CHROMIUM: 'off',
    PORT: String(port),
  })
  await vi.waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect([response.status, await response.json()]).toMatchObject([
      503,
      {
        problems: ['no control plane has region sjc in REGIONS, so there are no assignments yet'],
      },
    ])
  }, patience)
})

test('an agent measures over NATS, continues and restarts without it, and stops at a signal', async () => {
  const assignment = anAssignment({ intervalSeconds: 1, url: target.url('/agent') })
  const agent = await startAgentProcess('a')
  await agent.becomes({ ...isReady, bus: 'connected' })
  await bus.assignments.put(assignment)
  const stored = () => bus.readings.replay(partitionOf(assignment.checkId), 1, 1_000_000)
  await vi.waitFor(async () => expect(await stored()).not.toHaveLength(0), patience)
  const second = run({
    REGION: 'fra',
    AGENT: 'fra-1',
    NATS_URL: nats.url,
    DATA_DIR: join(folder, 'a'),
    PORT: '0',
  })
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain('another process runs fra-1')

  await nats.kill()
  await agent.becomes({ ...isReady, bus: 'away' })
  agent.child.kill('SIGKILL')
  await agent.ended
  const again = await startAgentProcess('a')
  await again.becomes({ ...isReady, bus: 'away' })
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${again.url}/metrics`)).text()
    expect(metrics).toMatch(/probe_mesh_agent_spool_readings\{region="fra"\} [1-9]/)
  }, patience)
  await nats.start()
  await again.becomes({ ...isReady, bus: 'connected' })
  again.child.kill('SIGTERM')
  expect(await again.ended).toBe(0)
  await vi.waitFor(async () => expect(await bus.presence.list('fra')).toEqual([]), patience)
})

test('an agent exits with 1 when another instance takes over its name, and gets a new instance id', async () => {
  const earlier = await startAgentProcess('b')
  await earlier.becomes({ ...isReady, bus: 'connected' })
  const before = await readFile(join(folder, 'b', 'spool', 'fra-1', 'instance'), 'utf8')
  expect(before).not.toBe('')
  const later = { agent: 'fra-1', region: 'fra', version: '0', startedAt: 1 }
  const announced = await bus.presence.announce(later)
  expect(await earlier.ended).toBe(1)
  expect(earlier.output()).toContain('another agent took over this name')
  await expect(readFile(join(folder, 'b', 'spool', 'fra-1', 'instance'))).rejects.toThrow()
  await announced.close()
})
