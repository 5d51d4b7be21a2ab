import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '@probe-mesh/contracts/catalog'
import type { Flip } from '@probe-mesh/contracts/events'
import type { Tier, TierLimits } from '@probe-mesh/contracts/tiers'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { parseConfig } from '@probe-mesh/control-plane/config'
import pino from 'pino'
import { inject } from 'vitest'
import { startAllInOne } from '../all-in-one/all-in-one.ts'
import { parseAgentSettings } from '../all-in-one/region-agents.ts'
import { createTestClickHouse } from './clickhouse.ts'
import { emptyCatalog } from './empty-catalog.ts'
import { followFlips } from './follow-flips.ts'
import { createTestDatabase } from './postgres.ts'
import { startProcesses } from './processes/processes.ts'

/** A running mesh as tests of the path see it: its public face, and what was stored, counted. */
export type Mesh = {
  apiUrl: string
  apiKey: string
  databaseUrl: string
  /** Every flip that was streamed since the start, in order. */
  flips: readonly Flip[]
  /** Rows of a check in the raw table. */
  storedReadings(checkId: string): Promise<number>
  close(): Promise<void>
}

type MeshOptions = {
  regions: readonly string[]
  tiers: Partial<Record<Tier, Partial<TierLimits>>>
  budgetScale: number
  /** Of a mesh in one process, measured every second; absent: empty, so that only the test's checks count. */
  catalog?: Catalog
}

/** What a mesh of either kind is to its observer. */
type Running = Pick<Mesh, 'apiUrl' | 'apiKey' | 'databaseUrl' | 'close'> & { clickhouseUrl: string }

/** A mesh of the kind that the run's project is about. */
export const startMesh = async (options: MeshOptions): Promise<Mesh> => {
  const running = await (inject('mesh') === 'processes'
    ? startProcesses(options)
    : startOneProcess(options))
  try {
    return await observe(running)
  } catch (error) {
    await running.close()
    throw error
  }
}

/** Everything in this process, on databases of its own in the run's servers. */
const startOneProcess = async (options: MeshOptions): Promise<Running> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mesh-'))
  const [database, store] = await Promise.all([createTestDatabase(), createTestClickHouse()])
  const environment = {
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    CLICKHOUSE_URL: store.url,
    REGIONS: options.regions.join(','),
    TARGET_ALLOW: '127.0.0.0/8',
    TIER_OVERRIDES: JSON.stringify(options.tiers),
    BUDGET_SCALE: String(options.budgetScale),
    CATALOG_INTERVAL_SECONDS: '1',
  }
  const parsed = parseConfig(environment)
  const agents = parseAgentSettings(environment)
  if (!parsed.ok || !agents.ok) throw new Error('the test environment is wrong')
  const started = await startAllInOne({
    config: parsed.config,
    catalog: options.catalog === undefined ? emptyCatalog : indexCatalog(options.catalog),
    agents: agents.settings,
    mcpPort: 0,
    seed: false,
    log: pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2)),
    now: Date.now,
  })
  return {
    apiUrl: started.apiUrl,
    apiKey: started.credentials.apiKey,
    databaseUrl: database.url,
    clickhouseUrl: store.url,
    close: async () => {
      await started.close()
      await Promise.all([database.close(), store.close()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const observe = async ({ clickhouseUrl, close, ...face }: Running): Promise<Mesh> => {
  const stream = await followFlips(face.apiUrl, face.apiKey)
  const clickhouse = connectClickHouse(clickhouseUrl)
  return {
    ...face,
    flips: stream.flips,
    storedReadings: async (checkId) => {
      const result = await clickhouse.query({
        query: 'select count() as count from readings_raw where check_id = {checkId:UUID}',
        query_params: { checkId },
        format: 'JSONEachRow',
      })
      const [row] = await result.json<{ count: number }>()
      return row?.count ?? 0
    },
    close: async () => {
      await Promise.all([stream.close(), clickhouse.close()])
      await close()
    },
  }
}
