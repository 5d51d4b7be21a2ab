import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import { findCheckPart } from '@probe-mesh/control-plane/src/checks/list/find-checks'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { growthFigure } from '../harness/growth.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { median, ratios } from '../harness/statistics.ts'
import { takeTurns } from '../harness/turns.ts'
import { checkCount, measureAll, type Filled } from './fill.ts'

const size = 100
/** The parts of the list that are opened, as a page and as the statement behind it. */
const lists = {
  first: { query: '', text: '', status: null, part: 1 },
  search: { query: '?q=check+a1', text: 'check a1', status: null, part: 1 },
  last: { query: '?page=100', text: '', status: null, part: 100 },
  degraded: { query: '?status=degraded', text: '', status: 'degraded', part: 1 },
} as const
type Name = keyof typeof lists

/**
 * The list of 10,000 checks as its reader gets it, all fresh and with half of them stale, beside its
 * statement alone.
 */
export const measureList = async (
  { quick, log, report }: BenchContext,
  { app, sql, filled }: { app: string; sql: Sql; filled: Filled },
): Promise<void> => {
  let asked = 0
  const page = async (name: Name, cookies: readonly string[] = filled.cookies): Promise<number> => {
    const cookie = cookies[asked++ % cookies.length] ?? ''
    const startedAt = performance.now()
    const response = await fetch(`${app}/dashboard/checks${lists[name].query}`, {
      headers: { cookie },
    })
    const rows = (await response.text()).split('<tr').length
    const ms = performance.now() - startedAt
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
      findCheckPart(
        tx,
        accountId,
        { text, name: '', status, type: null, tag: null, owner: null, sort: 'status' },
        { part, size },
        Date.now(),
      ),
    )
    return performance.now() - startedAt
  }
  for (const [age, staleShare] of [
    ['fresh', 0],
    ['half_stale', 0.5],
  ] as const) {
    log(`list: ${checkCount} checks, ${age.replace('_', ' ')}`)
    await measureAll(sql, Date.now(), staleShare)
    for (const name of Object.keys(lists) as Name[]) {
      for (let n = 0; n < 3; n++) await page(name)
      const rounds = await takeTurns(quick ? 3 : 9, {
        page: () => page(name),
        statement: () => statement(name),
      })
      const pages = rounds.map((round) => round.page)
      const statements = rounds.map((round) => round.statement)
      report({
        figure: `list_${name}_${age}`,
        runs: pages,
        unit: 'ms',
        aim: { atMost: 300 },
        context: { statementMs: median(statements) },
      })
      report({
        figure: `list_${name}_${age}_to_statement`,
        runs: ratios(pages, statements),
        unit: 'ratio',
      })
    }
  }
  await measureAll(sql, Date.now(), 0)
  const accounts = [...filled.smaller, { count: checkCount, cookies: filled.cookies }]
  for (const { cookies } of accounts) for (let n = 0; n < 3; n++) await page('first', cookies)
  const turns = accounts.map(({ count, cookies }) => [count, () => page('first', cookies)] as const)
  const rounds = await takeTurns(quick ? 3 : 9, Object.fromEntries(turns))
  report(
    growthFigure({
      figure: 'list_first',
      of: 'the first page of the list of checks',
      in: 'checks in the account',
      unit: 'ms',
      steps: accounts.map(({ count }) => ({
        work: count,
        cost: median(rounds.map((round) => round[count] ?? Number.NaN)),
      })),
    }),
  )
}
