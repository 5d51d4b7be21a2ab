import type { ErrorFrame, ErrorOccurrence } from '@probe-mesh/contracts/error-tracking'
import type { ClickHouse } from './connect.ts'

/** Which events of a batch are stored: `<project id> <event id, 32 hexadecimal digits>`. */
export const storedOccurrenceIds = async (
  clickhouse: ClickHouse,
  batch: string,
  projectIds: readonly string[],
): Promise<Set<string>> => {
  const result = await clickhouse.query({
    query: `
      select project_id, event_id from error_occurrences
      where project_id in {projects:Array(UUID)} and batch = {batch:UUID}`,
    query_params: { projects: [...new Set(projectIds)], batch },
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ project_id: string; event_id: string }>()
  return new Set(rows.map((row) => `${row.project_id} ${hexOf(row.event_id)}`))
}

/**
 * The newest occurrences of each of these issues, newest first, by issue id. An issue without any has
 * no entry.
 */
export const newestOccurrences = async (
  clickhouse: ClickHouse,
  issues: readonly { id: string; projectId: string }[],
  perIssue: number,
): Promise<Map<string, ErrorOccurrence[]>> => {
  if (issues.length === 0) return new Map()
  const result = await clickhouse.query({
    query: `
      select issue_id, event_id, toUnixTimestamp64Milli(at) as at_ms, release, message, type, level,
        platform, environment, transaction, frames, tags, context
      from error_occurrences
      where project_id in {projects:Array(UUID)} and issue_id in {issues:Array(UUID)}
      order by issue_id, at desc, event_id
      limit {perIssue:UInt32} by issue_id`,
    query_params: {
      projects: [...new Set(issues.map(({ projectId }) => projectId))],
      issues: issues.map(({ id }) => id),
      perIssue,
    },
    format: 'JSONEachRow',
  })
  const rows = Map.groupBy(await result.json<OccurrenceRow>(), (row) => row.issue_id)
  return new Map([...rows].map(([issueId, ofIssue]) => [issueId, ofIssue.map(toOccurrence)]))
}

/** Removes every occurrence of these projects. */
export const purgeOccurrences = async (
  clickhouse: ClickHouse,
  projectIds: readonly string[],
): Promise<void> => {
  if (projectIds.length === 0) return
  await clickhouse.command({
    query: 'delete from error_occurrences where project_id in {ids:Array(UUID)}',
    query_params: { ids: [...projectIds] },
    clickhouse_settings: { lightweight_deletes_sync: '1', wait_end_of_query: 1 },
  })
}

type OccurrenceRow = {
  issue_id: string
  event_id: string
  at_ms: number
  release: string | null
  message: string
  type: string | null
  level: string
  platform: string
  environment: string | null
  transaction: string | null
  frames: string
  tags: string
  context: string
}

const hexOf = (uuid: string): string => uuid.replaceAll('-', '')

const toOccurrence = (row: OccurrenceRow): ErrorOccurrence => ({
  id: hexOf(row.event_id),
  at: new Date(row.at_ms).toISOString(),
  release: row.release,
  message: row.message,
  frames: JSON.parse(row.frames) as ErrorFrame[],
  context: {
    ...(JSON.parse(row.context) as Record<string, unknown>),
    ...presentOf({
      type: row.type,
      level: row.level,
      platform: row.platform,
      environment: row.environment,
      transaction: row.transaction,
    }),
    tags: JSON.parse(row.tags) as Record<string, string>,
  },
})

const presentOf = (fields: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
