import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { startControlPlane, type ControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import pino from 'pino'
import { Registry } from 'prom-client'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { loadCatalog } from '@probe-mesh/infra/start/processes/control-plane-catalog'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { createClock, type Clock } from './clock.ts'
import { storeHistory, type Usual } from './history.ts'
import { intervalSeconds } from './interval.ts'
import { startNetwork, type Network } from './network.ts'
import { createRegionAgents, type RegionAgents } from './region-agents.ts'
import { catalogOf, hostsOf, type Listed, type ListedStack } from './services.ts'
import { startStoreGate, type StoreGate } from './store-gate.ts'
import { startTarget, type Target } from './target.ts'

export const fleetRegions = ['iad', 'sjc', 'fra', 'nrt'] as const
export type FleetRegion = (typeof fleetRegions)[number]

/** The whole path with its own targets: agents, bus, databases, control plane and answers. */
export type Fleet = {
  readonly clock: Clock
  readonly target: Target
  readonly network: Network
  readonly agents: RegionAgents
  readonly store: StoreGate
  readonly services: readonly Listed[]
  /** ClickHouse without the gate. */
  readonly clickhouseUrl: string
  /** The current URL of answers; it changes with each start of the control plane. */
  answersUrl(): string
  isServing(): boolean
  /** The number of starts of the control plane. */
  starts(): number
  stopControlPlane(): Promise<void>
  startControlPlane(): Promise<void>
  close(): Promise<void>
}

const secretsKey = 'a key for the tests of scenarios only'

/** Starts everything except the agents. @param prepare fills the databases before the first read */
export const startFleet = async (options: {
  services: readonly Listed[]
  stacks: readonly ListedStack[]
  usual: readonly Usual[]
  prepare?: (stores: { databaseUrl: string; nowMs: number }) => Promise<void>
}): Promise<Fleet> => {
  const closers: (() => void | Promise<void>)[] = []
  try {
    return await start(options, closers)
  } catch (error) {
    await closeAll(closers).catch(() => undefined)
    throw error
  }
}

const start = async (
  { services, stacks, usual, prepare }: Parameters<typeof startFleet>[0],
  closers: (() => void | Promise<void>)[],
): Promise<Fleet> => {
  const clock = createClock()
  const log = pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2))
  const dataDirectory = await mkdtemp(join(tmpdir(), 'scenarios-'))
  closers.push(() => rm(dataDirectory, { recursive: true, force: true }))
  const [database, clickhouse] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  closers.push(async () => void (await Promise.all([database.close(), clickhouse.close()])))
  const store = await startStoreGate(clickhouse.url)
  closers.push(store.end)
  const target = await startTarget(services.flatMap(hostsOf), fleetRegions)
  closers.push(target.close)
  const network = await startNetwork(target)
  closers.push(network.close)
  for (const service of services) {
    for (const host of hostsOf(service)) {
      target.mark(host, service.marks ?? {})
      if (service.nameServers !== undefined) network.serve(host, service.nameServers)
    }
  }

  const catalogFile = join(dataDirectory, 'catalog.yaml')
  // JSON is valid YAML
  await writeFile(catalogFile, JSON.stringify(catalogOf(services, stacks, target.portOf)))
  const parsed = parseConfig({
    PORT: '0',
    PUBLIC_URL: 'https://probe-mesh.example.com',
    DATA_DIR: dataDirectory,
    REGIONS: fleetRegions.join(','),
    TARGET_ALLOW: '127.0.0.0/8',
    // each query of a test has its own address
    TRUST_PROXY: 'loopback',
    CATALOG_FILE: catalogFile,
    CATALOG_INTERVAL_SECONDS: String(intervalSeconds),
  })
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'))
  const { config } = parsed
  const loaded = await loadCatalog(config)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const nowMs = clock.now()
  await storeHistory(clickhouse.url, loaded.catalog.catalog, usual, nowMs)
  await prepare?.({ databaseUrl: database.url, nowMs })

  const bus = await openInProcessBus({
    directory: join(dataDirectory, 'bus'),
    now: clock.now,
    log: log.child({ part: 'bus' }),
  })
  closers.push(() => bus.close())
  let running: { controlPlane: ControlPlane; url: string } | null = null
  const stopControlPlane = async (): Promise<void> => {
    const stopped = running
    running = null
    stopped?.controlPlane.setServing(false)
    await stopped?.controlPlane.app.close()
    await stopped?.controlPlane.close()
  }
  let starts = 0
  const startAnother = async (): Promise<void> => {
    const controlPlane = await startControlPlane({
      config,
      catalog: loaded.catalog,
      databaseUrl: database.url,
      clickhouseUrl: store.url,
      secretsKey,
      bus,
      registry: new Registry(),
      log: log.child({ part: 'control-plane' }),
      now: clock.now,
      vantage: 'regional',
    })
    const url = await controlPlane.app.listen({ host: config.host, port: 0 })
    controlPlane.setServing(true)
    running = { controlPlane, url }
    starts += 1
  }
  closers.push(stopControlPlane)
  await startAnother()
  const agents = createRegionAgents({
    bus,
    network,
    allow: config.targetAllow,
    dataDirectory,
    log: log.child({ part: 'agent' }),
    now: clock.now,
  })
  closers.push(agents.close)
  return {
    clock,
    target,
    network,
    agents,
    store,
    services,
    clickhouseUrl: clickhouse.url,
    answersUrl: () => {
      if (running === null) throw new Error('the control plane is not running')
      return `${running.url}/v1/public`
    },
    isServing: () => running !== null,
    starts: () => starts,
    stopControlPlane,
    startControlPlane: startAnother,
    close: () => closeAll(closers),
  }
}
