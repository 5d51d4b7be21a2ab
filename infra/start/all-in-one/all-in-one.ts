import { join } from 'node:path'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import type { CatalogIndex } from '@probe-mesh/control-plane/catalog/catalog-index'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { prepareStores } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import { untilAccepted } from '@probe-mesh/control-plane/stores/retry'
import { startControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import type { GatewayConfig } from '@probe-mesh/mcp-gateway/config'
import type { Logger } from 'pino'
import { Registry, collectDefaultMetrics } from 'prom-client'
import { startStores } from '../stores/stores.ts'
import { awaitServers } from '../processes/await-servers.ts'
import { openControlPlaneBus, readControlPlaneNats } from '../processes/control-plane-bus.ts'
import { startRegionAgents, type AgentSettings } from './region-agents.ts'
import { tryChromium } from '../processes/start-chromium.ts'
import { closeAll } from '../processes/close-all.ts'
import { holdPort } from '../processes/hold-port.ts'
import { narrowDataDir } from '../processes/private-files.ts'
import { serveWeb } from '../processes/serve-web.ts'
import { readCertificate } from '../processes/read-certificate.ts'
import { startGateway } from '../processes/start-gateway.ts'
import { ensureSecretsKey } from '../stores/secrets-key.ts'
import { ensureAccounts, seedChecks } from './seed.ts'
import { findMetricsToken, type Credentials } from './credentials.ts'

export type AllInOne = {
  apiUrl: string
  /** The root of the gateway's two endpoints. */
  mcpUrl: string
  credentials: Credentials
  /** Whether this was the first start on the data directory. */
  isNew: boolean
  close(): Promise<void>
}

/**
 * Starts every part in one process, on embedded databases unless the configuration names servers. If a part
 * fails to start, the parts before it are closed.
 */
export const startAllInOne = async (capabilities: {
  config: Config
  catalog: CatalogIndex
  agents: AgentSettings
  seed: boolean
  gateway: GatewayConfig
  log: Logger
  now: () => number
  /** The bus as the agents reach it, for tests that cut one off. */
  busOfAgents?: (bus: Bus) => Bus
}): Promise<AllInOne> => {
  const { config, log, now, busOfAgents = (bus) => bus } = capabilities
  const closers: (() => Promise<void>)[] = []
  try {
    for (const failure of narrowDataDir(config.dataDir)) {
      log.warn({ failure }, 'other users of this machine may read a file of the data directory')
    }
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    const { agents: settings } = capabilities
    // in parallel: Chromium takes half as long to start as the databases
    const chromium = tryChromium(
      { path: settings.chromium, mayGoWithout: settings.mayGoWithoutSandbox },
      { registry, log: log.child({ component: 'agent' }) },
    )
    chromium.catch(() => undefined)
    const stores = await startStores({
      dataDir: config.dataDir,
      log: log.child({ component: 'stores' }),
      databaseUrl: config.databaseUrl,
      clickhouseUrl: config.clickhouseUrl,
    })
    closers.push(stores.close)
    // before the migrations
    const held = await holdPort(config)
    closers.push(held.release)
    const metricsToken = config.metricsToken ?? (await findMetricsToken(config.dataDir))
    const secretsKey = config.secretsKey ?? (await ensureSecretsKey(config.dataDir))
    const { natsServers } = config
    const clickhouse = { url: stores.clickhouseUrl, cluster: config.clickhouseCluster }
    const natsId = await awaitServers(
      {
        databaseUrl: config.databaseUrl,
        clickhouse: config.clickhouseUrl === null ? null : clickhouse,
        readNats: natsServers === null ? null : () => readControlPlaneNats(config, natsServers, log),
      },
      log,
    )
    const parts = {
      databaseUrl: stores.databaseUrl,
      clickhouse,
      readNatsId: natsServers === null ? null : async () => natsId,
    }
    const system = await untilAccepted(log, 'the databases cannot be prepared', () =>
      prepareStores({ ...parts, secretsKey, now, log }),
    )
    const bus = await openBus(config, system, log, now)
    closers.push(() => bus.close())
    const controlPlane = await startControlPlane({
      config: {
        ...config,
        metricsToken,
        gatewayKey: capabilities.gateway.gatewayKey,
        mcpUrl: capabilities.gateway.mcpUrl,
      },
      databaseUrl: stores.databaseUrl,
      clickhouseUrl: stores.clickhouseUrl,
      catalog: capabilities.catalog,
      secretsKey,
      bus,
      registry,
      log: log.child({ component: 'control-plane' }),
      now,
      vantage: config.vantage ?? 'local',
      tls: await readCertificate(config.tls),
    })
    closers.push(controlPlane.close)
    const agents = await startRegionAgents({
      config,
      settings,
      chromium: await chromium,
      secretsKey,
      bus: busOfAgents(bus),
      registry,
      log: log.child({ component: 'agent' }),
      now,
    })
    closers.push(agents.close)
    serveWeb(controlPlane.app, { ...config, mcpUrl: capabilities.gateway.mcpUrl })
    await held.release()
    const publicUrl = await listen(controlPlane.app, config)
    closers.push(async () => {
      controlPlane.setServing(false)
      await controlPlane.app.close()
    })
    const apiUrl = `${publicUrl}/v1`
    const gateway = await startGateway(
      { ...capabilities.gateway, apiUrl, metricsToken },
      { registry, log: log.child({ component: 'mcp-gateway' }), now },
    )
    closers.push(gateway.close)
    const mcpUrl = capabilities.gateway.mcpUrl ?? gateway.address
    const urls = { apiUrl, mcpUrl: `${mcpUrl}/mcp`, dashboardUrl: `${publicUrl}/dashboard` }
    const { credentials, isNew } = await ensureAccounts({ sql: controlPlane.sql, now }, config.dataDir, {
      ...urls,
      metricsToken,
    })
    if (isNew && capabilities.seed) await seedChecks(credentials)
    controlPlane.setServing(true)
    return { apiUrl, mcpUrl, credentials, isNew, close: () => closeAll(closers) }
  } catch (error) {
    await closeAll(closers).catch((reason: unknown) => {
      log.warn({ err: reason }, 'some parts could not be closed')
    })
    throw error
  }
}

const openBus = (config: Config, system: string, log: Logger, now: () => number): Promise<Bus> =>
  config.natsServers === null
    ? openInProcessBus({
        directory: join(config.dataDir, 'bus'),
        now,
        log: log.child({ component: 'bus' }),
      })
    : openControlPlaneBus(config, config.natsServers, system, log)

/** With port 0 the system chooses a free port, and links contain that port. */
const listen = async (
  app: { listen(options: { host: string; port: number }): Promise<string> },
  config: Config,
): Promise<string> => {
  const address = await app.listen({ host: config.host, port: config.port })
  return config.port === 0 ? address : config.publicUrl
}
