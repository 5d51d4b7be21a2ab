import { startStores } from '@probe-mesh/infra/start/stores/stores'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { withFolder } from './folder.ts'
import { measureAgent } from './path/agent.ts'
import { measureIngest } from './path/ingest.ts'
import { measureRest } from './path/rest.ts'
import type { BenchContext } from './run-bench.ts'

/** What a reading costs on its way: an agent's checks, ingest, and the read of a check over REST. */
export const measurePath = async (context: BenchContext): Promise<void> => {
  await measureAgent(context)
  await withFolder(async (dataDir) => {
    const stores = await startStores({ dataDir, log: silentLog })
    try {
      const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 2 })
      try {
        await migratePostgres(sql)
        await measureIngest({ ...context, stores, sql })
        await measureRest({ ...context, stores, sql })
      } finally {
        await sql.end()
      }
    } finally {
      await stores.close()
    }
  })
}
