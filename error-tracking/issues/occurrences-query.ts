import type { ErrorFrame, ErrorOccurrence } from '../contracts/error-tracking.ts'
import type { ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import type { Shard } from '@probe-mesh/control-plane/src/stores/clickhouse/shard'

/** The events of a batch that a shard has stored, as `<project id> <event id, 32 hexadecimal digits>`. */
export const findStoredIds = (
  shard: Pick<Shard, 'use'>,
  batch: string,
  projectIds: readonly string[],
): Promise<Set<string>> =>
  shard.use(async (replica) => {
    const result = await replica.query({
      query: `
        select project_id, event_id from error_occurrences
        where project_id in {projects:Array(UUID)} and batch = {batch:UUID}`,
      query_params: { projects: [...new Set(projectIds)], batch },
      format: 'JSONEachRow',
    })
    const rows = await result.json<{ project_id: string; event_id: string }>()
    return new Set(rows.map((row) => `${row.project_id} ${hexOf(row.event_id)}`))
  })

const columns = `issue_id, event_id, toUnixTimestamp64Milli(at) as at_ms, release, message, type, level,
  platform, environment, transaction, frames, tags, context`

/**
 * The newest occurrence of each of these issues of a project, by issue id. An issue without one has no entry.
 * The last seen time locates each row, so that large columns are read for those rows only. A second query
 * searches for occurrences that are not there.
 */
export const findNewestOccurrences = async (
  clickhouse: ClickHouse,
  projectId: string,
  issues: readonly { id: string; lastSeenMs: number }[],
): Promise<Map<string, ErrorOccurrence>> => {
  const found = await readNewest(clickhouse, projectId, issues, atLastSeen)
  const missing = issues.filter(({ id }) => !found.has(id))
  const others = await readNewest(clickhouse, projectId, missing, atNewest)
  return new Map([...found, ...others])
}

const atLastSeen = `
  select tupleElement(pair, 1), fromUnixTimestamp64Milli(tupleElement(pair, 2), 'UTC')
  from (select arrayJoin(arrayZip({issues:Array(UUID)}, {seen:Array(Int64)})) as pair)`
const atNewest = `
  select issue_id, max(at) from error_occurrences
  where project_id = {project:UUID} and issue_id in {issues:Array(UUID)} group by issue_id`

/** @param places a subquery that returns issue id and time of the wanted occurrences */
const readNewest = async (
  clickhouse: ClickHouse,
  projectId: string,
  issues: readonly { id: string; lastSeenMs: number }[],
  places: string,
): Promise<Map<string, ErrorOccurrence>> => {
  if (issues.length === 0) return new Map()
  const result = await clickhouse.query({
    query: `
      select ${columns} from error_occurrences
      where project_id = {project:UUID} and (issue_id, at) in (${places})
      order by issue_id, event_id limit 1 by issue_id`,
    query_params: {
      project: projectId,
      issues: issues.map(({ id }) => id),
      seen: issues.map(({ lastSeenMs }) => lastSeenMs),
    },
    format: 'JSONEachRow',
  })
  const rows = await result.json<OccurrenceRow>()
  return new Map(rows.map((row) => [row.issue_id, toOccurrence(row)]))
}

/** The newest occurrences of an issue, newest first. */
export const findRecentOccurrences = async (
  clickhouse: ClickHouse,
  { id, projectId }: { id: string; projectId: string },
  limit: number,
): Promise<ErrorOccurrence[]> => {
  const result = await clickhouse.query({
    query: `
      select ${columns} from error_occurrences
      where project_id = {project:UUID} and issue_id = {issue:UUID}
      order by at desc, event_id limit {limit:UInt32}`,
    query_params: { project: projectId, issue: id, limit },
    format: 'JSONEachRow',
  })
  return (await result.json<OccurrenceRow>()).map(toOccurrence)
}

/** The issues of a project with an occurrence whose message contains this text, case-insensitive. */
export const findIssuesByMessage = async (
  clickhouse: ClickHouse,
  projectId: string,
  text: string,
): Promise<string[]> => {
  const result = await clickhouse.query({
    query: `
      select distinct issue_id from error_occurrences
      where project_id = {project:UUID}
        and position(lowerUTF8(message), lowerUTF8({text:String})) > 0`,
    query_params: { project: projectId, text },
    format: 'JSONCompactEachRow',
  })
  return (await result.json<[issueId: string]>()).map(([issueId]) => issueId)
}

/** Deletes the occurrences of these events that a batch inserted. */
export const removeOccurrences = async (
  clickhouse: ClickHouse,
  batch: string,
  events: readonly { projectId: string; eventId: string }[],
): Promise<void> => {
  if (events.length === 0) return
  await deleteEverywhere(clickhouse, {
    query: `
      delete from error_occurrences where project_id in {projects:Array(UUID)}
        and batch = {batch:UUID} and replaceAll(toString(event_id), '-', '') in {ids:Array(String)}`,
    query_params: {
      projects: [...new Set(events.map(({ projectId }) => projectId))],
      batch,
      ids: events.map(({ eventId }) => eventId),
    },
  })
}

/** Deletes all occurrences of these projects. */
export const purgeOccurrences = async (
  clickhouse: ClickHouse,
  projectIds: readonly string[],
): Promise<void> => {
  if (projectIds.length === 0) return
  await deleteEverywhere(clickhouse, {
    query: 'delete from error_occurrences where project_id in {ids:Array(UUID)}',
    query_params: { ids: [...projectIds] },
  })
}

/** On all shards, because a project's rows stay on their old shard when one is added. */
const deleteEverywhere = async (
  { shards }: ClickHouse,
  statement: { query: string; query_params: Record<string, unknown> },
): Promise<void> => {
  for (const shard of shards) {
    await shard.use((replica) =>
      replica.command({
        ...statement,
        clickhouse_settings: { lightweight_deletes_sync: '1', wait_end_of_query: 1 },
      }),
    )
  }
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
