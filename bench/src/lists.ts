import { countOpen } from '@probe-mesh/control-plane/src/overview/get-counts'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import type { BenchContext } from './harness/run-bench.ts'
import { withClosers } from './harness/scope.ts'
import { startApp } from './harness/servers.ts'
import { median, percentile } from './harness/statistics.ts'
import { withStores } from './harness/stores.ts'
import { checkCount, fill } from './web/fill.ts'

const flipsPerCheck = 10

/** What the dashboard reads, by its path and the aim for the 95th percentile, ms. */
const requests = {
  rows_first: { path: '/check-list', aimMs: 150 },
  rows_last: { path: '/check-list?page=100', aimMs: 150 },
  rows_by_name: { path: '/checks?include=state&sort=name', aimMs: 150 },
  outages: { path: '/outages', aimMs: 50 },
  overview: { path: '/overview', aimMs: 150 },
  counts: { path: '/counts', aimMs: 15 },
  palette: { path: '/palette', aimMs: 150 },
} as const

/** The lists that the dashboard reads, of an account with 10,000 checks and a month of flips. */
export const measureLists = (context: BenchContext): Promise<void> =>
  withStores((stores) =>
    withClosers(async (keep) => {
      const { log, quick, report } = context
      log(`lists: writing ${checkCount} checks with ${flipsPerCheck} flips each and a day of readings`)
      const filled = await fill(stores.sql, stores.clickhouse)
      await insertFlips(stores.sql, filled.accountId)
      const app = keep(await startApp(stores, { pages: true }))
      let asked = 0
      const ask = async (path: string): Promise<number> => {
        const cookie = filled.cookies[asked++ % filled.cookies.length] ?? ''
        const startedAt = performance.now()
        const response = await fetch(`${app.origin}/dashboard-api${path}`, {
          headers: { cookie, 'sec-fetch-site': 'same-origin' },
        })
        const text = await response.text()
        const ms = performance.now() - startedAt
        if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`)
        return ms
      }
      const accountSql = connectPostgres(stores.databaseUrl, {
        connectionsMax: 1,
        role: 'probe_mesh_account',
      })
      const statements: number[] = []
      for (let n = 0; n < (quick ? 60 : 220); n++) {
        const startedAt = performance.now()
        await inAccount(accountSql, filled.accountId, (tx) => countOpen(tx, filled.accountId, Date.now()))
        if (n >= 20) statements.push(performance.now() - startedAt)
      }
      await accountSql.end()
      report({
        figure: 'counts_statement_p95',
        value: percentile(statements, 0.95),
        unit: 'ms',
        aim: { atMost: 5 },
        context: { medianMs: median(statements) },
      })
      for (const [name, { path, aimMs }] of Object.entries(requests)) {
        for (let n = 0; n < 10; n++) await ask(path)
        const runs: number[] = []
        for (let n = 0; n < (quick ? 40 : 200); n++) runs.push(await ask(path))
        report({
          figure: `${name}_p95`,
          value: percentile(runs, 0.95),
          unit: 'ms',
          aim: { atMost: aimMs },
          context: { medianMs: median(runs) },
        })
      }
    }),
  )

/** Ten flips of every check in the last 30 days: five outages of an hour. */
const insertFlips = async (sql: Sql, accountId: string): Promise<void> => {
  await sql`
    insert into flips (id, check_id, version, from_status, to_status, at)
    select gen_random_uuid(), checks.id, 100 + n,
      case when n % 2 = 0 then 'down' else 'operational' end,
      case when n % 2 = 0 then 'operational' else 'down' end,
      now() - make_interval(hours => (${flipsPerCheck} - n) / 2 * 140
        + ('x' || right(checks.id::text, 2))::bit(8)::int % 100 + (n + 1) % 2 - 1)
    from checks cross join generate_series(1, ${flipsPerCheck}) n
    where checks.account_id = ${accountId}`
  await sql`vacuum analyze flips`
}
