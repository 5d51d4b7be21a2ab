import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { enroll } from '../../../deploy/nats/enroll.ts'
import { revoke } from '../../../deploy/nats/revoke.ts'
import { writePrivateFiles } from '../../../start/processes/private-files.ts'
import { startMailServer, type MailServer } from '../../../testing/mail-server.ts'
import {
  createAgent,
  createControlPlane,
  createServers,
  journalDir,
  type Servers,
} from '../../../testing/processes/compose.ts'
import { createEntryPart, type EntryPart } from '../../../testing/processes/entry-part.ts'
import { freePorts } from '../../../testing/processes/free-ports.ts'
import { send, type Part } from '../../../testing/processes/part.ts'
import { createOperator, skewShim, type Operator } from './operator.ts'
import { createProxy, healthCheck, type Proxy } from './proxy.ts'
import { createClickHouseOnDisk, type ClickHouseOnDisk } from './small-disk.ts'

type Environment = Record<string, string>

const regions: readonly Region[] = ['fra', 'nrt']
const agentsAtRest = [
  ['fra-1', 'fra'],
  ['fra-2', 'fra'],
  ['nrt-1', 'nrt'],
] as const
const agentDays = 90
const gatewayKey = 'the-gateway-key-of-the-tests-32-characters'

/** A whole mesh of processes whose parts a test can damage, with a doctor for it. */
export type FaultyMesh = Operator & {
  readonly folder: string
  readonly keysDir: string
  readonly postgres: Servers['postgres']
  readonly clickhouse: ClickHouseOnDisk
  readonly nats: Part
  readonly natsUrl: string
  readonly agents: ReadonlyMap<string, Part>
  readonly proxy: Proxy
  /** The environment of control planes and the doctor; a fault may change it. */
  readonly environment: Environment
  /** The correct environment. */
  readonly sound: Readonly<Environment>
  /** Restarts a control plane with the present environment. @throws if it refuses to start */
  restart(at: 0 | 1): Promise<void>
  stop(at: 0 | 1): Promise<void>
  /** Restarts the gateway with a key. */
  gateway(key?: string): Promise<void>
  /** Starts an agent with these credentials, replacing one of the same name. @param also its environment */
  agent(name: string, credentials: string, region: Region, also?: Readonly<Environment>): Promise<void>
  controlPlane(at: 0 | 1): EntryPart
  credentialsOf(name: string): string
  mailServer(state: 'up' | 'down'): Promise<void>
  /** Sets the clock error of `fra-1`. */
  skewAgent(ms: number): Promise<void>
  freePort(): number
  /** Restores the healthy state after a fault that was not fixed. */
  heal(): Promise<void>
  close(): Promise<void>
}

export const startFaultyMesh = async (): Promise<FaultyMesh> => {
  writePrivateFiles()
  const folder = await mkdtemp(join(tmpdir(), 'faulty-mesh-'))
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).toReversed()) await end().catch(() => undefined)
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  try {
    return { ...(await start(folder, closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}

const start = async (
  folder: string,
  closers: (() => Promise<void>)[],
): Promise<Omit<FaultyMesh, 'close'>> => {
  const keep = <P extends { close(): Promise<void> }>(part: P): P => {
    closers.push(() => part.close())
    return part
  }
  for (const path of [join(folder, 'logs'), journalDir(folder)]) await mkdir(path)
  const ports = await freePorts(24)
  const freePort = (): number => ports.pop() ?? 0
  const made = await createServers(folder, regions, freePort)
  const keysDir = join(folder, 'nats')
  // each agent has credentials for its own name
  for (const region of regions) await revoke(keysDir, `${region}-all`, Date.now())
  const credentialsOf = (name: string) => join(folder, `agent-${name}.creds`)
  const clickhouse = keep(await createClickHouseOnDisk(folder, freePort()))
  const servers: Servers = { ...made, clickhouse }
  await Promise.all([keep(servers.postgres), clickhouse, keep(servers.nats)].map((p) => p.start()))
  const natsUrl = `nats://127.0.0.1:${servers.natsPort}`
  let mail: MailServer = await startMailServer()
  closers.push(() => mail.close())
  const mailPort = mail.port

  const [outside, first, second, mcpPort] = [freePort(), freePort(), freePort(), freePort()]
  const controlPorts = [first, second] as const
  const proxy = keep(await createProxy({ folder, outside, controlPorts }))
  const sound: Environment = {
    HOST: '127.0.0.1',
    PORT: String(first),
    PUBLIC_URL: `http://127.0.0.1:${outside}`,
    MCP_URL: `http://127.0.0.1:${mcpPort}`,
    DATABASE_URL: servers.postgres.url,
    CLICKHOUSE_URL: clickhouse.url,
    NATS_URL: natsUrl,
    NATS_CREDENTIALS: servers.controlPlaneFile,
    NATS_KEYS: keysDir,
    SECRETS_KEY: 'the secrets key of the tests, 32 characters',
    GATEWAY_KEY: gatewayKey,
    METRICS_TOKEN: 'the-metrics-token-of-the-tests-32-characters',
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: 'mesh@example.org',
    REGIONS: regions.join(','),
    TRUST_PROXY: 'loopback',
    TARGET_ALLOW: '127.0.0.0/8',
    CHANNEL_ALLOW: '127.0.0.0/8',
    VANTAGE: 'local',
  }
  const environment = { ...sound }

  const controlPlanes: [EntryPart | null, EntryPart | null] = [null, null]
  const stop = async (at: 0 | 1): Promise<void> => {
    // a frozen one stops only when it goes on
    if (controlPlanes[at]?.isAlive === true) controlPlanes[at].resume()
    if (controlPlanes[at]?.isAlive === true) await controlPlanes[at].stop()
  }
  const restart = async (at: 0 | 1): Promise<void> => {
    await stop(at)
    const port = controlPorts[at]
    controlPlanes[at] = keep(
      createControlPlane(servers, {
        name: `control-plane-${at + 1}`,
        port,
        folder,
        publicUrl: sound['PUBLIC_URL'] ?? '',
        regions,
        tiers: {},
        budgetScale: 1,
        environment: { ...environment, PORT: String(port) },
      }),
    )
    await controlPlanes[at].start()
  }
  const agents = new Map<string, Part>()
  const skewFile = join(folder, 'skew')
  await writeFile(skewFile, '0')
  const skewed = { NODE_OPTIONS: `--import ${skewShim}`, SKEW_FILE: skewFile }
  const agent: FaultyMesh['agent'] = async (name, credentials, region, also = {}) => {
    await agents.get(name)?.close()
    const port = freePort()
    const part = createAgent(servers, {
      name,
      port,
      // with wrong credentials it is never ready
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
      folder,
      region,
      natsPort: servers.natsPort,
      environment: {
        AGENT_CREDENTIALS: credentials,
        CHROMIUM: 'off',
        ...(name === 'fra-1' && skewed),
        ...also,
      },
    })
    agents.set(name, keep(part))
    await part.start()
  }
  let gatewayPart: EntryPart | null = null
  const gateway = async (key = gatewayKey): Promise<void> => {
    await gatewayPart?.stop()
    gatewayPart = keep(
      createEntryPart({
        name: 'mcp-gateway',
        entry: 'mcp-gateway',
        port: mcpPort,
        folder,
        environment: {
          MCP_PORT: String(mcpPort),
          PUBLIC_URL: sound['PUBLIC_URL'] ?? '',
          GATEWAY_KEY: key,
        },
        // with a wrong key it is never ready
        isReady: async () => (await fetch(`http://127.0.0.1:${mcpPort}/healthz`)).ok,
      }),
    )
    await gatewayPart.start()
  }

  for (const [name, region] of agentsAtRest) {
    const out = credentialsOf(name)
    await enroll(keysDir, { region, name, days: agentDays, out, isRotation: false }, Date.now())
  }
  await Promise.all([restart(0), restart(1)])
  await proxy.start()
  await Promise.all([
    gateway(),
    ...agentsAtRest.map(([name, region]) => agent(name, credentialsOf(name), region)),
  ])

  const operator = createOperator(folder, environment)
  return {
    folder,
    keysDir,
    postgres: servers.postgres,
    clickhouse,
    nats: servers.nats,
    natsUrl,
    agents,
    proxy,
    environment,
    sound,
    restart,
    stop,
    gateway,
    agent,
    controlPlane: (at) => {
      const part = controlPlanes[at]
      if (part === null) throw new Error(`the control plane ${at} was never started`)
      return part
    },
    credentialsOf,
    mailServer: async (state) => {
      if (state === 'down') await mail.close()
      else mail = await startMailServer(mailPort)
    },
    skewAgent: async (ms) => {
      await writeFile(skewFile, String(ms))
      const [pid] = agents.get('fra-1')?.processIds() ?? []
      if (pid !== undefined) send(pid, 'SIGUSR2')
    },
    freePort,
    heal: async () => {
      Object.assign(environment, sound)
      operator.skewDoctor(0)
      await writeFile(skewFile, '0')
      const parts = [servers.postgres, clickhouse, servers.nats, ...agents.values()]
      for (const part of parts) if (!part.isAlive) await part.start()
      await Promise.all([clickhouse.makeRoom(), restart(0), restart(1), gateway()])
      await proxy.askHealthBy(healthCheck)
    },
    ...operator,
  }
}
