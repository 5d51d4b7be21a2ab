import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { startControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import { startAgent, type Agent } from '@probe-mesh/probe-agent/agent'
import { spoolBytesMin } from '@probe-mesh/probe-agent/environment'
import { targetRequestsPerSecondDefault } from '@probe-mesh/probe-agent/request/target-rate'
import pino, { type Logger } from 'pino'
import { Registry } from 'prom-client'
import { createAgentRunner } from '@probe-mesh/infra/start/processes/agent-runner'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { emptyCatalog } from '@probe-mesh/infra/testing/empty-catalog'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { createTestAccount } from '@probe-mesh/infra/testing/processes/account'

/** The whole path in this process, in which a test can kill one region. */
export type StoppableMesh = {
  readonly apiUrl: string
  readonly apiKey: string
  /** Ends a region's only agent, so that the region becomes silent. */
  killRegion(region: Region): Promise<void>
  close(): Promise<void>
}

/** @param options.regions each gets one agent */
export const startStoppableMesh = async (options: { regions: readonly Region[] }): Promise<StoppableMesh> => {
  const closers: (() => void | Promise<void>)[] = []
  try {
    return await start(options, closers)
  } catch (error) {
    await closeAll(closers).catch(() => undefined)
    throw error
  }
}

const start = async (
  { regions }: { regions: readonly Region[] },
  closers: (() => void | Promise<void>)[],
): Promise<StoppableMesh> => {
  const log = pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2))
  const dataDirectory = await mkdtemp(join(tmpdir(), 'stoppable-'))
  closers.push(() => rm(dataDirectory, { recursive: true, force: true }))
  const [database, clickhouse] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  closers.push(async () => void (await Promise.all([database.close(), clickhouse.close()])))
  const parsed = parseConfig({
    PORT: '0',
    DATA_DIR: dataDirectory,
    REGIONS: regions.join(','),
    TARGET_ALLOW: '127.0.0.0/8',
    RDAP_BOOTSTRAP: 'none',
    BUDGET_SCALE: '1000',
    TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
  })
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'))
  const { config } = parsed
  const bus = await openInProcessBus({ directory: join(dataDirectory, 'bus'), now: Date.now, log })
  closers.push(() => bus.close())
  const controlPlane = await startControlPlane({
    config,
    catalog: emptyCatalog,
    databaseUrl: database.url,
    clickhouseUrl: clickhouse.url,
    secretsKey: 'a key for the tests of this mesh only',
    bus,
    registry: new Registry(),
    log,
    now: Date.now,
    vantage: 'local',
  })
  const url = await controlPlane.app.listen({ host: config.host, port: 0 })
  controlPlane.setServing(true)
  closers.push(async () => {
    controlPlane.setServing(false)
    await controlPlane.app.close()
    await controlPlane.close()
  })
  const runner = await createAgentRunner({
    allow: config.targetAllow,
    deny: config.blockedTargets,
    targetRequestsPerSecond: () => targetRequestsPerSecondDefault,
    probesUrl: null,
    canaries: [],
    chromium: null,
    now: Date.now,
    log,
    registry: new Registry(),
  })
  closers.push(runner.close)
  const agents = new Map<Region, Agent>()
  closers.push(async () => void (await Promise.all([...agents.values()].map((one) => one.close()))))
  for (const region of regions) {
    const { cidrs } = config.targetAllow
    agents.set(region, await startRegion(region, { bus, run: runner.run, cidrs, dataDirectory, log }))
  }
  await Promise.all([...agents.values()].map((agent) => agent.sharing))
  return {
    apiUrl: `${url}/v1`,
    apiKey: await createTestAccount(database.url),
    killRegion: async (region) => {
      await agents.get(region)?.close()
      agents.delete(region)
    },
    close: () => closeAll(closers),
  }
}

const startRegion = (
  region: Region,
  means: {
    bus: Bus
    run: Parameters<typeof startAgent>[0]['run']
    cidrs: readonly string[]
    dataDirectory: string
    log: Logger
  },
): Promise<Agent> =>
  startAgent({
    config: {
      region,
      agent: `${region}-1`,
      dataDirectory: means.dataDirectory,
      spoolBytesMax: spoolBytesMin,
      targetAllow: means.cidrs,
      journalPath: null,
    },
    bus: means.bus,
    run: means.run,
    now: Date.now,
    log: means.log,
    registry: new Registry(),
  })
