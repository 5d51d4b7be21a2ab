import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from '../folder.ts'
import type { BenchContext } from '../run-bench.ts'
import { byFifths, median, percentile } from '../statistics.ts'
import { createErrorAccount } from './bench-projects.ts'
import { rareMessage, rareTitle, releaseOf, releases, seedOccurrences } from './seed.ts'
import { startApp } from './servers.ts'

type Size = { occurrences: number; issues: number }
type Times = Map<Kind, number[]>

/** Each a query of `GET /v1/errors/projects/:id/issues`, another one every time. */
const kinds = {
  newest: () => '',
  status: (n: number) => `status=${['resolved', 'unresolved', 'ignored'][n % 3]}`,
  window: (n: number) => `window=${['1h', '24h', '7d', '30d'][n % 4]}`,
  release: (n: number) => `release=${encodeURIComponent(releaseOf(n % releases))}`,
  text_common: () => `q=cannot+read`,
  text_title: (n: number, { issues }: Size) => `q=${rareTitle((n * 7_919) % issues)}`,
  text_message: (n: number, { occurrences }: Size) => `q=${rareMessage((n * 7_919) % occurrences)}`,
  text_nowhere: (n: number) => `q=nothing-says-${n}`,
  all: (n: number) =>
    `q=area&status=unresolved&window=30d&release=${encodeURIComponent(releaseOf(n % releases))}`,
  most: () => 'limit=500',
} as const
type Kind = keyof typeof kinds

/** Searches of a million occurrences of 20,000 issues in one project, and of a tenth before. */
export const measureSearch = (
  context: BenchContext & { stores: Stores; sql: Sql },
): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, sql, quick, say, report } = context
    const { id: accountId, apiKey, projects } = await createErrorAccount(sql, 'search')
    const [project] = projects
    if (project === undefined) throw new Error('no project')
    const clickhouse = connectClickHouse(stores.clickhouseUrl)
    const app = await startApp({ stores, folder, name: 'search', persists: false })
    const ask = async (path: string): Promise<{ ms: number; total: number }> => {
      const startedAt = performance.now()
      const response = await fetch(`${app.origin}${path}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      const body = (await response.json()) as { total?: number }
      const ms = performance.now() - startedAt
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
      return { ms, total: body.total ?? 0 }
    }
    const measure = async (size: Size): Promise<Times> => {
      const times: Times = new Map()
      const base = `/v1/errors/projects/${project.id}/issues`
      const rounds = quick ? 5 : 40
      // the first ones are not measured; kinds take turns
      for (let n = -2; n < rounds; n++) {
        for (const kind of Object.keys(kinds) as Kind[]) {
          const { ms, total } = await ask(`${base}?${kinds[kind](n + 2, size)}`)
          if ((total === 0) !== (kind === 'text_nowhere') && !mayBeEmpty.has(kind)) {
            throw new Error(`${kind} found ${total}`)
          }
          if (n >= 0) times.set(kind, [...(times.get(kind) ?? []), ms])
        }
      }
      return times
    }
    try {
      const large: Size = quick
        ? { occurrences: 20_000, issues: 1_000 }
        : { occurrences: 1_000_000, issues: 20_000 }
      const small: Size = { occurrences: large.occurrences / 10, issues: large.issues / 10 }
      const startedAt = performance.now()
      const times: Times[] = []
      let from = 0
      for (const size of [small, large]) {
        say(`search: seeding ${size.occurrences} occurrences of ${size.issues} issues`)
        await seedOccurrences({ sql, clickhouse }, project.id, {
          from,
          to: size.occurrences,
          issues: size.issues,
        })
        await settleStatuses(sql, accountId)
        from = size.occurrences
        times.push(await measure(size))
      }
      say(`search: took ${Math.round((performance.now() - startedAt) / 1_000)} s in all`)
      for (const kind of Object.keys(kinds) as Kind[]) {
        const [before = [], after = []] = times.map((one) => one.get(kind))
        const growth = median(after) / median(before)
        reportTimes(report, `search_${kind}`, after, { ...large, growthOver10x: growth })
      }
      await measureIssue(context, ask, { sql, projectId: project.id })
    } finally {
      await app.child.close()
      await clickhouse.close()
    }
  })

const mayBeEmpty: ReadonlySet<Kind> = new Set(['window', 'all', 'status'])

/** A fifth is resolved, a tenth ignored. */
const settleStatuses = async (sql: Sql, accountId: string): Promise<void> => {
  await sql`
    update error_issues set status = case when get_byte(fingerprint, 0) % 10 < 2 then 'resolved'
      when get_byte(fingerprint, 0) % 10 = 2 then 'ignored' else 'unresolved' end
    where account_id = ${accountId}`
  await sql`vacuum analyze error_issues`
}

/** The page of one issue: of the one that occurred most, and of others. */
const measureIssue = async (
  { quick, report }: BenchContext,
  ask: (path: string) => Promise<{ ms: number }>,
  { sql, projectId }: { sql: Sql; projectId: string },
): Promise<void> => {
  const rows = await sql<{ id: string; occurrences: number }[]>`
    select id, occurrences::integer from error_issues where project_id = ${projectId}
    order by occurrences desc limit 500`
  const rounds = quick ? 5 : 40
  for (const [kind, pick] of [
    ['largest_issue', () => rows[0]],
    ['issue', (n: number) => rows[(n * 37) % rows.length]],
  ] as const) {
    const times: number[] = []
    for (let n = -2; n < rounds; n++) {
      const { ms } = await ask(`/v1/errors/issues/${pick(n + 2)?.id}`)
      if (n >= 0) times.push(ms)
    }
    reportTimes(report, kind, times, { occurrences: rows[0]?.occurrences ?? 0 })
  }
}

const reportTimes = (
  report: BenchContext['report'],
  name: string,
  times: readonly number[],
  context: Record<string, number>,
): void => {
  const p99 = (some: readonly number[]) => percentile(some, 0.99)
  for (const [figure, valueOf, aim] of [
    [`${name}_p50`, median, {}],
    [`${name}_p99`, p99, { aim: { atMost: 300 } }],
  ] as const) {
    const runs = byFifths(times, valueOf)
    report({ figure, value: valueOf(times), unit: 'ms', ...aim, context: { ...context, runs } })
  }
}
