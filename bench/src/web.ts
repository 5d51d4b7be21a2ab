import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startStores } from '@probe-mesh/infra/start/stores/stores'
import { startChild } from './child.ts'
import { withFolder } from './folder.ts'
import type { BenchContext } from './run-bench.ts'
import { fill } from './web/fill.ts'
import { measureList } from './web/list.ts'
import { measureLoad } from './web/load.ts'
import { measureStatusPage } from './web/status-page.ts'
import type { WebQuestion } from './web/web-process.ts'

const script = new URL('web/web-process.ts', import.meta.url)

/** What pages cost those who read them: bytes, time in a browser, time under load, long lists. */
export const measureWeb = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    const stores = await startStores({ dataDir: folder, log: silentLog })
    const closers: (() => Promise<unknown>)[] = [() => stores.close()]
    try {
      const { databaseUrl, clickhouseUrl } = stores
      const sql = connectPostgres(databaseUrl, { connectionsMax: 2 })
      closers.unshift(() => sql.end())
      const clickhouse = connectClickHouse(clickhouseUrl)
      closers.unshift(() => clickhouse.close())
      await migratePostgres(sql)
      await migrateClickHouse(clickhouse)
      context.say('web: writing ten thousand checks and what was measured of them')
      const filled = await fill(sql, clickhouse)
      const serve = async (question: WebQuestion): Promise<string> => {
        const child = startChild(script)
        closers.unshift(() => child.close())
        return child.ask<string>(question)
      }
      const app = await serve({ kind: 'app', databaseUrl, clickhouseUrl, folder })
      const empty = await serve({ kind: 'empty' })
      await measureStatusPage(context, { app, empty })
      await measureList(context, { app, sql, filled })
      await measureLoad(context, { app, empty, filled })
    } finally {
      for (const close of closers) await close()
    }
  })
