import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { errorPartitions } from '@probe-mesh/contracts/mesh/partition'
import { expect, vi } from 'vitest'
import { readMetrics } from '@probe-mesh/infra/testing/processes/metric'
import type { Books } from './conservation.ts'

/** What the stores say of a project; nothing may be under way. */
export const readBooks = async (
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
export const untilRest = (
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
  }, restTimeout)
