import { setTimeout as elapse } from 'node:timers/promises'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault, type Tier } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { expect, vi } from 'vitest'
import { findImbalances, type StoredProject } from './conservation.ts'
import { startReporters, type Reported } from './reporters.ts'
import { errorPartitions } from '@probe-mesh/contracts/mesh/subjects'
import { readMetrics } from '@probe-mesh/infra/testing/processes/metric'

/** The stored data of a project, for an idle system. */
const readStored = async (
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse },
  projectId: string,
): Promise<StoredProject> => {
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

const idleTimeout = { timeout: 120_000, interval: 200 }
const partitions = errorPartitions.map(String)
const lagLine = /^stream_lag_messages\{consumer="persist",partition="(\d+)"\} (\d+)$/gm
const waitingLine = /^error_counts_waiting (\d+)$/m

/**
 * Waits until error tracking is idle: each partition has an owner without a lag, no batch is open, and no
 * count waits for the stream.
 * @param roots the base URLs of all control planes
 * @param metricsToken null: metrics need no token on this machine
 */
export const waitUntilIdle = (
  roots: readonly string[],
  sql: Sql,
  metricsToken: string | null,
): Promise<void> =>
  vi.waitFor(async () => {
    const texts = await Promise.all(roots.map((root) => readMetrics(root, metricsToken)))
    const lags = texts.flatMap((text) => [...text.matchAll(lagLine)])
    expect(lags.map(([, partition]) => partition).toSorted()).toEqual(partitions)
    expect(lags.filter(([, , messages]) => messages !== '0')).toEqual([])
    expect(texts.map((text) => waitingLine.exec(text)?.[1])).toEqual(roots.map(() => '0'))
    expect(await sql`select from error_batches`).toHaveLength(0)
  }, idleTimeout)

/** The quota that one account uses up during the test. */
const smallQuota = 60
export const conserveTiers = { free: { errorEventsPerMonth: smallQuota } }

const wideProjects = 6

/** A system that the test kills and restarts, in part or as a whole. */
export type Killable = {
  /** The origin for SDKs, which answers while any control plane runs. */
  origin: string
  /** The base URLs of all control planes. */
  roots: readonly string[]
  /** null: metrics need no token on this machine. */
  metricsToken(): Promise<string | null>
  stores(): Promise<{ databaseUrl: string; clickhouseUrl: string }>
}

/**
 * Sends events while `disrupt` runs, waits until the system is idle, and compares the stored data of each
 * project with the answers to its client. Prints the figures.
 */
export const expectConserved = async (
  system: Killable,
  { disrupt, what }: { disrupt: () => Promise<void>; what: string },
): Promise<void> => {
  const startedAt = performance.now()
  const projects = await withSql(await system.stores(), async (sql) => [
    ...(await Promise.all(Array.from({ length: wideProjects }, () => createProject(sql, 'scale')))),
    await createProject(sql, 'free'),
  ])
  const { attempts, end } = startReporters(system.origin, projects)
  try {
    await disrupt()
    // the last events are sent without a disruption
    await elapse(1_000)
  } finally {
    await end()
  }
  const urls = await system.stores()
  const clickhouse = connectClickHouse(urls.clickhouseUrl)
  try {
    await withSql(urls, async (sql) => {
      await waitUntilIdle(system.roots, sql, await system.metricsToken())
      const wrong: Record<string, string[]> = {}
      const counts = new Map<string, number>()
      for (const { id, tier } of projects) {
        const data = await readStored({ sql, clickhouse }, id)
        const quota = tier === 'free' ? smallQuota : tiersDefault[tier].errorEventsPerMonth
        const own = attempts.filter(({ projectId }) => projectId === id)
        const found = findImbalances(own, data, quota)
        if (found.length > 0) wrong[`${tier} ${id}`] = found
        for (const [outcome, events] of Object.entries(data.counts)) {
          counts.set(outcome, (counts.get(outcome) ?? 0) + events)
        }
      }
      const seconds = Math.round((performance.now() - startedAt) / 1_000)
      console.info(
        `${what} in ${seconds} s: ${attempts.length} requests, answered ${countText(
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

const countText = (values: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value} ${count} times`).join(', ')
}
