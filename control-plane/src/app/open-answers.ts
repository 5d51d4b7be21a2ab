import type { LoopContext } from '../stores/loop-context.ts'
import type { Bus } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import type { AnswersContext } from '../public-answers/answers/context.ts'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Config } from './config.ts'
import { createCatalogBroadcast } from '../public-answers/observe/catalog-broadcast.ts'
import { startObserver } from '../public-answers/observe/observer.ts'
import { outageCacheBounds } from '../public-answers/observe/past-outages.ts'
import { createServiceHistory, historyCacheBounds } from '../public-answers/observe/service-history.ts'
import type { Outage } from '../public-answers/past-outages.ts'
import type { Lease } from '../stores/leases/leases-store.ts'
import type { QuarantineBoard } from '../status/quarantine/quarantine-board.ts'
import { startReports } from '../public-answers/reports/reports.ts'
import { staleAfterMs } from '../status/freshness.ts'

export type Answers = {
  readonly context: AnswersContext
  /** Broadcasts the catalog's readings among these to every control plane. */
  broadcast(readings: readonly Reading[]): void
  close(): Promise<void>
}

/** Starts the sources of the keyless answers: the observer of readings and the user reports. */
export const openAnswers = async (
  capabilities: LoopContext & {
    config: Config
    clickhouse: ClickHouse
    bus: Bus
    catalog: CatalogIndex
    secretsKey: string
    board: QuarantineBoard
    /** The lease of the partition whose owner detects shared incidents; null if another process owns it. */
    lease: () => Lease | null
    vantage: 'local' | 'regional'
  },
): Promise<Answers> => {
  const { config, bus, catalog, board, vantage, log, now } = capabilities
  const { regions, catalogIntervalSeconds, publicUrl } = config
  const { events } = bus
  const reports = await startReports({ ...capabilities, events })
  const observer = await startObserver({
    ...capabilities,
    regions,
    catalogIntervalSeconds,
    isQuarantined: board.isQuarantined,
    burstSinceMs: board.burstSinceMs,
    outageCache: createExpiringCache<readonly Outage[]>({
      now,
      ...outageCacheBounds,
      // a shorter interval causes faster changes
      ageMsMax: Math.min(outageCacheBounds.ageMsMax, 1_000 * catalogIntervalSeconds),
    }),
  })
  const historyOf = createServiceHistory({
    ...capabilities,
    cache: createExpiringCache<ServiceHistory>({ now, ...historyCacheBounds }),
  })
  return {
    context: {
      catalog,
      observed: observer.observed,
      reports: reports.counts,
      outagesOf: observer.outagesOf,
      historyOf,
      regions,
      staleAfterMs: staleAfterMs(catalogIntervalSeconds),
      vantage,
      publicUrl,
      now,
    },
    broadcast: createCatalogBroadcast({ events, catalog, log, now }),
    close: async () => {
      await Promise.all([observer.close(), reports.close()])
    },
  }
}
