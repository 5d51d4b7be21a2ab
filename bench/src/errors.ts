import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startStores } from '@probe-mesh/infra/start/stores/stores'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { measureDoor } from './errors/door.ts'
import { measureFlood } from './errors/flood.ts'
import { measureGrowth } from './errors/growth.ts'
import { measureParts } from './errors/parts.ts'
import { measurePersist } from './errors/persist.ts'
import { measureSearch } from './errors/search.ts'
import { withFolder } from './folder.ts'
import type { BenchContext } from './run-bench.ts'

/** What an error event costs on its way, and what a flood of them does to others. */
export const measureErrors = (context: BenchContext): Promise<void> =>
  withStores(context, async (more) => {
    await measureParts(context)
    await measureDoor(more)
    await measurePersist(more)
    await measureGrowth(more)
    await measureFlood(more)
  })

/** How long a search of a million occurrences takes. */
export const measureErrorSearch = (context: BenchContext): Promise<void> =>
  withStores(context, measureSearch)

type WithStores = BenchContext & { stores: Stores; sql: Sql }

const withStores = (
  context: BenchContext,
  measure: (more: WithStores) => Promise<void>,
): Promise<void> =>
  withFolder(async (folder) => {
    const stores = await startStores({ dataDir: folder, log: silentLog })
    const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 2 })
    try {
      await migratePostgres(sql)
      const clickhouse = connectClickHouse(stores.clickhouseUrl)
      await migrateClickHouse(clickhouse).finally(() => clickhouse.close())
      await measure({ ...context, stores, sql })
    } finally {
      await sql.end()
      await stores.close()
    }
  })
