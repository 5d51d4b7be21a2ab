import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CatalogIndex } from '@probe-mesh/control-plane/catalog/catalog-index'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import pino, { type Logger } from 'pino'
import { startAllInOne, type AllInOne } from '../start/all-in-one/all-in-one.ts'
import { parseOwnGateway } from '../start/all-in-one/own-gateway.ts'
import { parseAgentSettings } from '../start/all-in-one/region-agents.ts'
import { createTestClickHouse } from './clickhouse.ts'
import { createTestDatabase } from './postgres.ts'

/** All parts in this process, on their own databases in the servers of the test run, and on free ports. */
export type TestAllInOne = AllInOne & {
  dataDir: string
  databaseUrl: string
  clickhouseUrl: string
}

export const startTestAllInOne = async (options: {
  environment?: Readonly<Record<string, string>>
  catalog: CatalogIndex
  log?: Logger
  busOfAgents?: Parameters<typeof startAllInOne>[0]['busOfAgents']
}): Promise<TestAllInOne> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mesh-'))
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  const environment = {
    PORT: '0',
    // tests never query the real registries
    RDAP_BOOTSTRAP: 'none',
    // tests have no internet
    CANARIES: 'none',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    CLICKHOUSE_URL: store.url,
    ...options.environment,
  }
  const [parsed, agents, gateway] = [
    parseConfig(environment),
    parseAgentSettings(environment),
    parseOwnGateway(environment),
  ]
  if (!parsed.ok || !agents.ok || !gateway.ok) throw new Error('the test environment is wrong')
  const silent = pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2))
  const started = await startAllInOne({
    config: parsed.config,
    catalog: options.catalog,
    agents: agents.settings,
    gateway: gateway.config,
    seed: false,
    log: options.log ?? silent,
    now: Date.now,
    ...(options.busOfAgents !== undefined && { busOfAgents: options.busOfAgents }),
  })
  return {
    ...started,
    dataDir,
    databaseUrl: database.url,
    clickhouseUrl: store.url,
    close: async () => {
      await started.close()
      await Promise.all([database.close(), store.close()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
