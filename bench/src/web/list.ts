import { inAccount } from '@probe-mesh/control-plane/stores/postgres/in-account'
import { findCheckPart } from '@probe-mesh/control-plane/checks/list-checks'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { growthFigure } from '../growth.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { checkCount, measureAll } from './fill.ts'
import type { Filled } from './fill.ts'

const size = 100
/** What is asked of the list, as a page and as the statement behind it. */
const lists = {
  first: { query: '', text: '', status: null, part: 1 },
  search: { query: '?q=check+a1', text: 'check a1', status: null, part: 1 },
  last: { query: '?page=100', text: '', status: null, part: 100 },
  degraded: { query: '?status=degraded', text: '', status: 'degraded', part: 1 },
} as const
type Name = keyof typeof lists

/**
 * The list of ten thousand checks as a reader gets it, all fresh and with half of them stale, beside
 * its statement alone.
 */
export const measureList = async (
  { quick, say, report }: BenchContext,
  { app, sql, filled }: { app: string; sql: Sql; filled: Filled },
): Promise<void> => {
  let asked = 0
  let withoutTrends = 0
  const page = async (name: Name, cookies: readonly string[] = filled.cookies): Promise<number> => {
    const cookie = cookies[asked++ % cookies.length] ?? ''
    const startedAt = performance.now()
    const response = await fetch(`${app}/dashboard/checks${lists[name].query}`, {
      headers: { cookie },
    })
    const text = await response.text()
    const ms = performance.now() - startedAt
    const rows = text.split('<tr').length
    // where ClickHouse takes more than two seconds the list is read without its trends
    if (!text.includes('Last 24 hours')) withoutTrends += 1
    if (!response.ok || rows < 10) {
      throw new Error(`the list answered ${response.status} with ${rows} rows`)
    }
    return ms
  }
  const statement = async (name: Name): Promise<number> => {
    const { text, status, part } = lists[name]
    const { accountId } = filled
    const startedAt = performance.now()
    await inAccount(sql, accountId, (tx) =>
      findCheckPart(tx, accountId, { text, status, type: null, part, size }, Date.now()),
    )
    return performance.now() - startedAt
  }
  for (const [age, staleShare] of [
    ['fresh', 0],
    ['half_stale', 0.5],
  ] as const) {
    say(`list: ${checkCount} checks, ${age.replace('_', ' ')}`)
    await measureAll(sql, Date.now(), staleShare)
    const names = Object.keys(lists) as Name[]
    for (const name of names) for (let n = 0; n < 3; n++) await page(name)
    const times = new Map(
      names.map((name) => [name, { page: [] as number[], sql: [] as number[] }]),
    )
    for (let n = 0; n < (quick ? 3 : 9); n++) {
      for (const [name, { page: pages, sql: statements }] of times) {
        pages.push(await page(name))
        statements.push(await statement(name))
      }
    }
    for (const [name, { page: pages, sql: statements }] of times) {
      report({
        figure: `list_${name}_${age}`,
        value: median(pages),
        unit: 'ms',
        aim: { atMost: 300 },
        context: {
          runs: pages,
          statementMs: median(statements),
          checks: checkCount,
          withoutTrends,
        },
      })
      report({
        figure: `list_${name}_${age}_to_statement`,
        value: median(pages.map((ms, at) => ms / (statements[at] ?? Number.NaN))),
        unit: 'ratio',
      })
    }
  }
  await measureAll(sql, Date.now(), 0)
  const accounts = [...filled.smaller, { count: checkCount, cookies: filled.cookies }]
  const times = accounts.map((): number[] => [])
  for (let n = 0; n < (quick ? 3 : 12); n++) {
    for (const [at, { cookies }] of accounts.entries()) {
      const ms = await page('first', cookies)
      // the first three of each warm up
      if (n >= 3 || quick) times[at]?.push(ms)
    }
  }
  report(
    growthFigure({
      figure: 'list_first',
      of: 'the first page of the list of checks',
      in: 'checks of the account',
      unit: 'ms',
      steps: accounts.map(({ count }, at) => ({ work: count, cost: median(times[at] ?? []) })),
    }),
  )
}
