import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startStores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from './scope.ts'

/** Embedded databases with the current schema, and a folder for anything else. */
export type BenchStores = {
  folder: string
  databaseUrl: string
  clickhouseUrl: string
  sql: Sql
  clickhouse: ClickHouse
}

/** Starts the embedded databases, migrates them, and deletes them afterwards. */
export const withStores = <Result>(act: (stores: BenchStores) => Promise<Result>): Promise<Result> =>
  withFolder(async (folder) => {
    const stores = await startStores({ dataDir: folder, log: silentLog })
    const { databaseUrl, clickhouseUrl } = stores
    const sql = connectPostgres(databaseUrl, { connectionsMax: 2 })
    const clickhouse = connectClickHouse(clickhouseUrl)
    try {
      await migratePostgres(sql)
      await migrateClickHouse(clickhouse)
      return await act({ folder, databaseUrl, clickhouseUrl, sql, clickhouse })
    } finally {
      await Promise.all([sql.end(), clickhouse.close()])
      await stores.close()
    }
  })
