import { startConstant, startApp } from './harness/servers.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { withClosers } from './harness/scope.ts'
import { withStores } from './harness/stores.ts'
import { measureAssets } from './web/assets.ts'
import { fill } from './web/fill.ts'
import { measureList } from './web/list.ts'
import { measureLoad } from './web/load.ts'
import { measureStatusPage } from './web/status-page.ts'

const emptyPage =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Empty</title></head><body><p>Empty.</p></body></html>'

/** What pages cost their readers: bytes, time in a browser, long lists, time under load. */
export const measureWeb = (context: BenchContext): Promise<void> =>
  withStores((stores) =>
    withClosers(async (keep) => {
      context.log('web: writing 10,000 checks with a day of readings')
      const filled = await fill(stores.sql, stores.clickhouse)
      const app = keep(await startApp(stores, { pages: true }))
      const type = 'text/html; charset=utf-8'
      const empty = keep(await startConstant({ path: '/', body: emptyPage, type }))
      await measureAssets(context, { app: app.origin, filled })
      await measureStatusPage(context, { app: app.origin, empty: empty.origin })
      await measureList(context, { app: app.origin, sql: stores.sql, filled })
      await measureLoad(context, { app, empty, filled })
    }),
  )
