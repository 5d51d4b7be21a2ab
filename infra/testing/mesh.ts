import type { Catalog } from '@probe-mesh/contracts/outage/catalog'
import type { Flip } from '@probe-mesh/contracts/mesh/events'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { inject } from 'vitest'
import { startTestAllInOne } from './all-in-one.ts'
import { emptyCatalog } from './empty-catalog.ts'
import { followFlips } from './follow-flips.ts'
import { startProcesses } from './processes/processes.ts'

/** A running mesh for tests of the path: its API, and the number of stored readings. */
export type Mesh = {
  apiUrl: string
  apiKey: string
  /** The token for `/metrics`; null: this machine needs none. */
  metricsToken: string | null
  databaseUrl: string
  /** Every streamed flip since the start, in order. */
  flips: readonly Flip[]
  /** Rows of a check in the raw table. */
  storedReadings(checkId: string): Promise<number>
  close(): Promise<void>
}

type MeshOptions = {
  regions: readonly string[]
  tiers: Partial<Record<Tier, Partial<TierLimits>>>
  budgetScale: number
  /**
   * The catalog of a mesh in one process, measured every second; absent: empty, so that only the checks of
   * the test count.
   */
  catalog?: Catalog
}

/** The common part of both kinds of mesh. */
type Running = Pick<Mesh, 'apiUrl' | 'apiKey' | 'metricsToken' | 'databaseUrl' | 'close'> & {
  clickhouseUrl: string
}

/** Starts the kind of mesh that the test project sets. */
export const startMesh = async (options: MeshOptions): Promise<Mesh> => {
  const running = await (inject('mesh') === 'processes'
    ? startProcesses(options).then((processes) => ({ ...processes, metricsToken: null }))
    : startOneProcess(options))
  try {
    return await observe(running)
  } catch (error) {
    await running.close()
    throw error
  }
}

/** Starts all parts in this process, on their own databases in the servers of the run. */
const startOneProcess = async (options: MeshOptions): Promise<Running> => {
  const started = await startTestAllInOne({
    environment: {
      REGIONS: options.regions.join(','),
      TARGET_ALLOW: '127.0.0.0/8',
      TIER_OVERRIDES: JSON.stringify(options.tiers),
      BUDGET_SCALE: String(options.budgetScale),
      CATALOG_INTERVAL_SECONDS: '1',
    },
    catalog: options.catalog === undefined ? emptyCatalog : indexCatalog(options.catalog),
  })
  const { apiKey, metricsToken } = started.credentials
  return { ...started, apiKey, metricsToken }
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
