import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startStores } from '@probe-mesh/infra/start/stores/stores'
import { measureReports } from './answers/reports.ts'
import { measureStatus } from './answers/status.ts'
import { withFolder } from './folder.ts'
import type { BenchContext } from './run-bench.ts'

/** What the hot keyless answer costs, how that grows with the catalog, and what reports do to it. */
export const measureAnswers = (context: BenchContext): Promise<void> =>
  withFolder(async (dataDir) => {
    const stores = await startStores({ dataDir, log: silentLog })
    try {
      const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 1 })
      await migratePostgres(sql).finally(() => sql.end())
      await measureStatus({ ...context, stores })
      await measureReports({ ...context, stores })
    } finally {
      await stores.close()
    }
  })
