import { setTimeout as elapse } from 'node:timers/promises'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertTestErrorProject } from '@probe-mesh/control-plane/stores/postgres/testing'
import { expect, vi } from 'vitest'
import { imbalances } from './conservation.ts'
import { startReporters } from './reporters.ts'
import type { Reported } from './reporters.ts'
import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { errorPartitions } from '@probe-mesh/contracts/mesh/subjects'
import { readMetrics } from '@probe-mesh/infra/testing/processes/metric'
import type { Books } from './conservation.ts'

/** What the stores say of a project; nothing may be under way. */
const readBooks = async (
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse },
  projectId: string,
): Promise<Books> => {
  const result = await clickhouse.query({
    query: 'select event_id from error_occurrences where project_id = {projectId:UUID}',
    query_params: { projectId },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ event_id: string }>()
  const counts = await sql<{ outcome: string; events: number }[]>`
    select outcome, sum(events)::integer as events from error_counts
    where project_id = ${projectId} group by outcome`
  const [sums] = await sql<{ issues: number; releases: number; items: number }[]>`
    select
      (select coalesce(sum(occurrences), 0)::integer from error_issues
        where project_id = ${projectId}) as issues,
      (select coalesce(sum(r.occurrences), 0)::integer from error_issue_releases r
        join error_issues i on i.id = r.issue_id where i.project_id = ${projectId}) as releases,
      (select coalesce(sum(items), 0)::integer from error_unsupported_items
        where project_id = ${projectId}) as items`
  return {
    storedIds: rows.map((row) => row.event_id.replaceAll('-', '')),
    counts: Object.fromEntries(counts.map(({ outcome, events }) => [outcome, events])),
    unsupported: sums?.items ?? 0,
    ofIssues: sums?.issues ?? 0,
    ofReleases: sums?.releases ?? 0,
  }
}

const restTimeout = { timeout: 120_000, interval: 200 }
const partitions = errorPartitions.map(String)
const lagLine = /^stream_lag_messages\{consumer="persist",partition="(\d+)"\} (\d+)$/gm
const waitingLine = /^error_counts_waiting (\d+)$/m

/**
 * Waits until nothing of error tracking is under way: every partition has an owner that has stored all of
 * it, no batch is open, and no count waits for the stream.
 * @param roots of all control planes
 * @param metricsToken null: they answer this machine without one
 */
export const untilRest = (roots: readonly string[], sql: Sql, metricsToken: string | null): Promise<void> =>
  vi.waitFor(async () => {
    const texts = await Promise.all(roots.map((root) => readMetrics(root, metricsToken)))
    const lags = texts.flatMap((text) => [...text.matchAll(lagLine)])
    expect(lags.map(([, partition]) => partition).toSorted()).toEqual(partitions)
    expect(lags.filter(([, , messages]) => messages !== '0')).toEqual([])
    expect(texts.map((text) => waitingLine.exec(text)?.[1])).toEqual(roots.map(() => '0'))
    expect(await sql`select from error_batches`).toHaveLength(0)
  }, restTimeout)

/** Of the account that is to spend it while parts die. */
export const smallQuota = 60
export const conserveTiers = { free: { errorEventsPerMonth: smallQuota } }

const wideProjects = 6

/** A system that is killed in part or as a whole, and comes back each time. */
export type Killable = {
  /** Where SDKs report to, whatever lives. */
  origin: string
  /** Of each control plane. */
  roots: readonly string[]
  /** null: its control planes answer this machine without one. */
  metricsToken(): Promise<string | null>
  stores(): Promise<{ databaseUrl: string; clickhouseUrl: string }>
}

/**
 * Clients report while `harm` does what it does, then everything comes to rest, and each project's books
 * are held against what its client was told. Prints the figures.
 */
export const expectConserved = async (
  system: Killable,
  { harm, what }: { harm: () => Promise<void>; what: string },
): Promise<void> => {
  const startedAt = performance.now()
  const projects = await withSql(await system.stores(), async (sql) => [
    ...(await Promise.all(Array.from({ length: wideProjects }, () => createProject(sql, 'scale')))),
    await createProject(sql, 'free'),
  ])
  const { attempts, end } = startReporters(system.origin, projects)
  try {
    await harm()
    // the last ones meet nobody's death
    await elapse(1_000)
  } finally {
    await end()
  }
  const urls = await system.stores()
  const clickhouse = connectClickHouse(urls.clickhouseUrl)
  try {
    await withSql(urls, async (sql) => {
      await untilRest(system.roots, sql, await system.metricsToken())
      const wrong: Record<string, string[]> = {}
      const counts = new Map<string, number>()
      for (const { id, tier } of projects) {
        const books = await readBooks({ sql, clickhouse }, id)
        const quota = tier === 'free' ? smallQuota : tiersDefault[tier].errorEventsPerMonth
        const own = attempts.filter(({ projectId }) => projectId === id)
        const found = imbalances(own, books, quota)
        if (found.length > 0) wrong[`${tier} ${id}`] = found
        for (const [outcome, events] of Object.entries(books.counts)) {
          counts.set(outcome, (counts.get(outcome) ?? 0) + events)
        }
      }
      const seconds = Math.round((performance.now() - startedAt) / 1_000)
      console.info(
        `${what} in ${seconds} s: ${attempts.length} requests, answered ${tally(
          attempts.map(({ status }) => String(status ?? 'nothing')),
        )}; counted ${[...counts].map(([outcome, events]) => `${events} ${outcome}`).join(', ')}`,
      )
      expect(wrong).toEqual({})
      for (const outcome of ['stored', 'duplicate', 'invalid', 'size', 'quota']) {
        expect(counts.get(outcome), outcome).toBeGreaterThan(0)
      }
    })
  } finally {
    await clickhouse.close()
  }
}

/** The only project of a new account. */
const createProject = async (sql: Sql, tier: Tier): Promise<Reported & { tier: Tier }> => {
  const accountId = uuidv7(Date.now())
  await insertAccount(sql, { id: accountId, name: 'test', tier, createdAtMs: Date.now() })
  const id = await insertTestErrorProject(sql, accountId)
  const [row] = await sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  if (row === undefined) throw new Error('no project')
  return { id, tier, ...row }
}

const withSql = async <T>(
  { databaseUrl }: { databaseUrl: string },
  act: (sql: Sql) => Promise<T>,
): Promise<T> => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 2 })
  try {
    return await act(sql)
  } finally {
    await sql.end()
  }
}

const tally = (values: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value} ${count} times`).join(', ')
}
