import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { FormerVersion } from '../former-version.ts'
import { startProxy, type Proxy } from '../proxy.ts'
import { createTestAccount } from './account.ts'
import { startBalancer } from './balancer.ts'
import {
  createAgent,
  createControlPlane,
  createServers,
  journalDir,
  type AgentPart,
  type CreatePostgres,
  type Servers,
} from './compose.ts'
import type { EntryPart } from './entry-part.ts'
import { freePorts } from './free-ports.ts'
import type { Part } from './part.ts'

const controlPlanesCount = 2
const agentsPerRegionDefault = 2
/** The maximum, including agents that a test adds. */
const agentsPerRegionMax = 6
/** Up to three for a pair of Postgres servers, and two others. */
const serversCount = 5

/** A whole mesh with a process for each part, for tests of faults. */
export type Processes = Pick<Servers, 'postgres' | 'clickhouse' | 'nats'> & {
  /** Each call reaches the next control plane. */
  readonly apiUrl: string
  readonly apiKey: string
  readonly databaseUrl: string
  readonly clickhouseUrl: string
  readonly natsUrl: string
  readonly controlPlanes: readonly EntryPart[]
  readonly agents: readonly AgentPart[]
  /** Adds an agent to a region without starting it. */
  addAgent(region: Region): AgentPart
  /** The proxy to NATS of each region in `cutOff`. */
  readonly natsProxies: ReadonlyMap<Region, Proxy>
  /** A folder with one file per agent, named after it. */
  readonly journalDir: string
  /** Ends all parts, in any state. */
  close(): Promise<void>
}

export type ProcessesOptions = {
  regions: readonly Region[]
  tiers: Partial<Record<Tier, Partial<TierLimits>>>
  budgetScale: number
  /** Regions whose agents reach NATS through a proxy that a test can cut. */
  cutOff?: readonly Region[]
  /** Agents started per region; default 2. */
  agentsPerRegion?: number
  /** Additional environment of an agent, by its name. */
  environmentOf?: (agent: string) => Readonly<Record<string, string>>
  /** Additional environment of each control plane. */
  environment?: Readonly<Record<string, string>>
  /** Prepares the folder of the servers before they start, such as their disks, which close when all have ended. */
  prepare?: (folder: string) => Promise<{ close(): Promise<void> }>
  /** Creates Postgres as more than one server. */
  createPostgres?: CreatePostgres
  /** The version that configures NATS and creates the account, instead of this one. */
  former?: FormerVersion
  /** The folder of the project for the next start of a control plane or agent; null: this one. */
  treeOf?: (name: string) => string | null
}

/**
 * Starts Postgres, a ClickHouse facade, nats-server, two control planes and the agents of each region. All
 * end with this process. With MESH_KEEP set the folder with data and logs stays.
 */
export const startProcesses = async (options: ProcessesOptions): Promise<Processes> => {
  const folder = await mkdtemp(join(tmpdir(), 'processes-'))
  const closers: (() => Promise<void>)[] = []
  let prepared: { close(): Promise<void> } | undefined
  const close = async (): Promise<void> => {
    const ended = await Promise.allSettled(closers.splice(0).map((end) => end()))
    // a folder with a mounted disk cannot be removed
    const closed = [...ended, ...(await Promise.allSettled([prepared?.close()]))]
    prepared = undefined
    if (process.env['MESH_KEEP'] === undefined) {
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    } else {
      console.info(`kept: ${folder}`)
    }
    throwReasons(closed)
  }
  const keep = <P extends { close(): Promise<void> }>(part: P): P => {
    closers.push(() => part.close())
    return part
  }
  try {
    const prepare = async () => void (prepared = await options.prepare?.(folder))
    return { ...(await startParts(options, folder, { keep, prepare })), close }
  } catch (error) {
    await close()
    throw error
  }
}

type Keep = <P extends { close(): Promise<void> }>(part: P) => P

const startParts = async (
  options: ProcessesOptions,
  folder: string,
  { keep, prepare }: { keep: Keep; prepare: () => Promise<void> },
): Promise<Omit<Processes, 'close'>> => {
  const { regions } = options
  const ports = await freePorts(serversCount + controlPlanesCount + regions.length * agentsPerRegionMax)
  const nextPort = (): number => {
    const port = ports.pop()
    if (port === undefined) throw new Error('the mesh has no free port left')
    return port
  }
  for (const path of [join(folder, 'logs'), journalDir(folder)]) await mkdir(path)
  const servers = await createServers(folder, regions, nextPort, options.createPostgres, options.former)
  const { postgres, clickhouse, nats, natsPort } = servers
  await prepare()
  await startAll([keep(postgres), keep(clickhouse), keep(nats)])

  const controlPorts = Array.from({ length: controlPlanesCount }, nextPort)
  const balancer = keep(await startBalancer(controlPorts))
  const controlPlanes = controlPorts.map((port, at) => {
    const name = `control-plane-${at + 1}`
    const how = { ...options, name, port, folder, publicUrl: balancer.url }
    return keep(createControlPlane(servers, how))
  })
  const natsProxies = new Map<Region, Proxy>()
  for (const region of options.cutOff ?? []) natsProxies.set(region, keep(await startProxy(natsPort)))
  const agents: AgentPart[] = []
  const addAgent = (region: Region): AgentPart => {
    const name = `${region}-${agents.filter((agent) => agent.region === region).length + 1}`
    const environment = options.environmentOf?.(name) ?? {}
    const { treeOf = () => null } = options
    const how = { name, port: nextPort(), folder, region, natsPort, environment, treeOf }
    const way = natsProxies.get(region)?.port ?? natsPort
    const agent = keep(createAgent(servers, { ...how, natsPort: way }))
    agents.push(agent)
    return agent
  }
  const { agentsPerRegion = agentsPerRegionDefault } = options
  for (const region of regions) for (let n = 0; n < agentsPerRegion; n++) addAgent(region)
  // control planes create the streams that agents wait for
  await startAll(controlPlanes)
  await startAll(agents)

  return {
    apiUrl: `${balancer.url}/v1`,
    apiKey: await createAccountBy(options.former, postgres.url),
    databaseUrl: postgres.url,
    clickhouseUrl: clickhouse.url,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    postgres,
    clickhouse,
    nats,
    controlPlanes,
    agents,
    addAgent,
    natsProxies,
    journalDir: journalDir(folder),
  }
}

const createAccountBy = (former: FormerVersion | undefined, url: string): Promise<string> =>
  former === undefined
    ? createTestAccount(url)
    : former.evaluate(
        `const { createTestAccount } = await import('./infra/testing/processes/account.ts')
         console.log(await createTestAccount(${JSON.stringify(url)}))`,
      )

/** Starts all parts in parallel. */
const startAll = async (parts: readonly Part[]): Promise<void> =>
  throwReasons(await Promise.allSettled(parts.map((part) => part.start())))

/** @throws AggregateError with every failure, if any */
const throwReasons = (results: readonly PromiseSettledResult<unknown>[]): void => {
  const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(String).join('\n'))
}
