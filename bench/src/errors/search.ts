import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { BenchContext } from '../harness/run-bench.ts'
import { withClosers } from '../harness/scope.ts'
import { byFifths, median, percentile } from '../harness/statistics.ts'
import { withStores, type BenchStores } from '../harness/stores.ts'
import { createErrorAccount } from './bench-account.ts'
import { rareMessage, rareTitle, releaseOf, releases, seedOccurrences } from './seed.ts'
import { startErrorApp } from './servers.ts'

type Size = { occurrences: number; issues: number }

/** Queries of `GET /v1/errors/projects/:id/issues`, different each time. */
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

/** Searches a project with a million occurrences of 20,000 issues, one request at a time. */
export const measureErrorSearch = (context: BenchContext): Promise<void> =>
  withStores((stores) => measureSearches(context, stores))

const measureSearches = (context: BenchContext, stores: BenchStores): Promise<void> =>
  withClosers(async (keep) => {
    const { quick, log, report } = context
    const { sql, clickhouse } = stores
    const { id: accountId, apiKey, projects } = await createErrorAccount(sql, 'search')
    const [project] = projects
    if (project === undefined) throw new Error('no project')
    const app = keep(await startErrorApp(stores))
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
    const size: Size = quick
      ? { occurrences: 20_000, issues: 1_000 }
      : { occurrences: 1_000_000, issues: 20_000 }
    log(`search: storing ${size.occurrences} occurrences of ${size.issues} issues`)
    await seedOccurrences({ sql, clickhouse }, project.id, size)
    await settleStatuses(sql, accountId)
    const rounds = quick ? 5 : 40
    const times = new Map<Kind, number[]>()
    log(`search: ${rounds} rounds`)
    // the first two rounds warm up
    for (let n = -2; n < rounds; n++) {
      for (const kind of Object.keys(kinds) as Kind[]) {
        const path = `/v1/errors/projects/${project.id}/issues?${kinds[kind](n + 2, size)}`
        const { ms, total } = await ask(path)
        if ((total === 0) !== (kind === 'text_nowhere') && !mayBeEmpty.has(kind)) {
          throw new Error(`${kind} found ${total}`)
        }
        if (n >= 0) times.set(kind, [...(times.get(kind) ?? []), ms])
      }
    }
    for (const [kind, ms] of times) reportTimes(report, `search_${kind}`, ms)
    await measureIssue(context, ask, { sql, projectId: project.id })
  })

const mayBeEmpty: ReadonlySet<Kind> = new Set(['window', 'all', 'status'])

/** Resolves a fifth of the issues and ignores a tenth. */
const settleStatuses = async (sql: Sql, accountId: string): Promise<void> => {
  await sql`
    update error_issues set status = case when get_byte(fingerprint, 0) % 10 < 2 then 'resolved'
      when get_byte(fingerprint, 0) % 10 = 2 then 'ignored' else 'unresolved' end
    where account_id = ${accountId}`
  await sql`vacuum analyze error_issues`
}

/** Opens the issue with the most occurrences, and others. */
const measureIssue = async (
  { quick, report }: BenchContext,
  ask: (path: string) => Promise<{ ms: number }>,
  { sql, projectId }: { sql: Sql; projectId: string },
): Promise<void> => {
  const rows = await sql<{ id: string }[]>`
    select id from error_issues where project_id = ${projectId}
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
    reportTimes(report, kind, times)
  }
}

const reportTimes = (report: BenchContext['report'], name: string, times: readonly number[]): void => {
  const p99 = (some: readonly number[]) => percentile(some, 0.99)
  report({ figure: `${name}_p50`, value: median(times), runs: byFifths(times, median), unit: 'ms' })
  report({
    figure: `${name}_p99`,
    value: p99(times),
    runs: byFifths(times, p99),
    unit: 'ms',
    aim: { atMost: 300 },
  })
}
