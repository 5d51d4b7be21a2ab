import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readNatsCredentials } from '@probe-mesh/bus/nats/credentials'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import { controlPlaneConnection } from '@probe-mesh/bus/nats/permissions'
import type { Bus } from '@probe-mesh/bus/port'
import { expect, vi } from 'vitest'
import { runAgentAct } from '../deploy/nats/run-agent-act.ts'
import { runNatsConfig } from '../deploy/nats/run.ts'
import { startTestNats, type TestNats } from './nats.ts'
import { freePorts } from './processes/free-ports.ts'

const program = fileURLToPath(new URL('../start/processes/agent.ts', import.meta.url))
export const patience = { interval: 50 }
const quiet = { out: () => {}, error: () => {} }

/** An agent as a process, with its output and address. */
export type AgentRun = {
  child: ChildProcess
  /** The exit code. */
  ended: Promise<number>
  output: { text: string }
  url: string
  readyz(): Promise<Record<string, unknown>>
  /** Waits until `/readyz` matches. */
  becomes(readiness: object): Promise<void>
  /** The value of a metric of region fra. */
  figure(name: string): Promise<number>
}

export type AdmittingMesh = {
  folder: string
  nats: TestNats
  control: Bus
  /** `admin agent ...` @returns its exit code */
  admin(args: readonly string[], url?: string | null): Promise<number>
  credentialsOf(name: string): string
  enroll(region: string, name: string): Promise<void>
  /** @param dir of its data: agents with the same one are instances of one installation */
  run(agent: string, dir: string, over?: Record<string, string>): Promise<AgentRun>
  /** kill -9 of all agents. */
  killAgents(): Promise<void>
  close(): Promise<void>
}

/** Starts a mesh of agent processes on a NATS server with accounts, configured by the operator commands. */
export const startAdmittingMesh = async (): Promise<AdmittingMesh> => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-admission-'))
  const args = ['--regions', 'fra,iad', '--out', folder, '--store', join(folder, 'store')]
  expect(await runNatsConfig(args, quiet)).toBe(0)
  const nats = await startTestNats({ configurationFile: join(folder, 'nats-server.conf') })
  const credentialsOf = (name: string) => join(folder, `${name}.creds`)
  const { authenticator } = await readNatsCredentials(credentialsOf('control-plane'))
  const control = await openNatsBus({
    servers: [nats.url],
    name: 'control',
    ...controlPlaneConnection,
    authenticator,
    topology: { regions: ['fra', 'iad'] },
  })
  const children: ChildProcess[] = []
  const admin = (args: readonly string[], url: string | null = nats.url) =>
    runAgentAct([...args, '--keys', folder], url === null ? {} : { NATS_URL: url }, quiet)
  const killAgents = async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    }
  }
  return {
    folder,
    nats,
    control,
    admin,
    credentialsOf,
    enroll: async (region, name) => {
      const flags = ['--region', region, '--name', name, '--out', credentialsOf(name)]
      expect(await admin(['enroll', ...flags])).toBe(0)
    },
    run: async (agent, dir, over = {}) => {
      const [port] = await freePorts(1)
      const environment = {
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
      }
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: environment,
      })
      children.push(child)
      const output = { text: '' }
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => (output.text += chunk.toString()))
      }
      const ended = once(child, 'exit').then(([code]) => Number(code))
      const url = `http://127.0.0.1:${port}`
      const readyz = async () => {
        const response = await fetch(`${url}/readyz`)
        return { status: response.status, ...((await response.json()) as object) }
      }
      return {
        child,
        ended,
        output,
        url,
        readyz,
        becomes: (readiness) =>
          vi.waitFor(
            async () => expect(await readyz(), output.text.slice(-3_000)).toMatchObject(readiness),
            patience,
          ),
        figure: async (name) => {
          const text = await (await fetch(`${url}/metrics`)).text()
          return Number(new RegExp(`${name}\\{region="fra"\\} (\\S+)`).exec(text)?.[1])
        },
      }
    },
    killAgents,
    close: async () => {
      await killAgents()
      await control.close()
      await nats.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
