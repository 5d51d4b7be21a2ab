import { errorReleasesMax } from '@probe-mesh/contracts/error-tracking'
import type { ErrorIssueStatus } from '@probe-mesh/contracts/error-tracking'
import type { ErrorIssueRecord, ErrorRelease } from '../error-tracking/issue.ts'
import type { Connection } from './connect.ts'

type IssueRow = {
  id: string
  project_id: string
  title: string
  culprit: string | null
  status: ErrorIssueStatus
  occurrences: string
  first_seen: Date
  last_seen: Date
}

const toIssue = (row: IssueRow): ErrorIssueRecord => ({
  id: row.id,
  projectId: row.project_id,
  title: row.title,
  culprit: row.culprit,
  status: row.status,
  occurrences: Number(row.occurrences),
  firstSeenMs: row.first_seen.getTime(),
  lastSeenMs: row.last_seen.getTime(),
})

/** What a search asks for; null asks for nothing. */
export type IssueFilter = {
  /** Part of the title or the culprit, in any case; no character of it is special. */
  text: string | null
  release: string | null
  status: ErrorIssueStatus | null
  seenSinceMs: number | null
}

/** The issues of a project that pass every filter, seen last first, and how many there are in all. */
export const searchErrorIssues = async (
  connection: Connection,
  accountId: string,
  projectId: string,
  { text, release, status, seenSinceMs }: IssueFilter,
  limit: number,
): Promise<{ issues: ErrorIssueRecord[]; total: number }> => {
  const since = seenSinceMs === null ? null : new Date(seenSinceMs)
  const rows = await connection<(IssueRow & { total: number })[]>`
    select id, project_id, title, culprit, status, occurrences, first_seen, last_seen,
      count(*) over ()::integer as total
    from error_issues
    where account_id = ${accountId} and project_id = ${projectId}
      and (${status}::text is null or status = ${status})
      and (${since}::timestamptz is null or last_seen >= ${since})
      and (${release}::text is null or exists (
        select from error_issue_releases
        where issue_id = error_issues.id and release = ${release}))
      and (${text}::text is null or strpos(lower(title), lower(${text})) > 0
        or strpos(lower(culprit), lower(${text})) > 0)
    order by last_seen desc, id desc limit ${limit}`
  return { issues: rows.map(toIssue), total: rows[0]?.total ?? 0 }
}

/** One error issue of an account. Another account's is null like a missing one. */
export const findErrorIssue = async (
  connection: Connection,
  accountId: string,
  issueId: string,
): Promise<ErrorIssueRecord | null> => {
  const [row] = await connection<IssueRow[]>`
    select id, project_id, title, culprit, status, occurrences, first_seen, last_seen
    from error_issues where id = ${issueId} and account_id = ${accountId}`
  return row === undefined ? null : toIssue(row)
}

/**
 * The releases of these issues, of each `errorReleasesMax` with most occurrences, by issue id. An
 * issue without one has no entry.
 */
export const findErrorReleases = async (
  connection: Connection,
  issueIds: readonly string[],
): Promise<Map<string, ErrorRelease[]>> => {
  if (issueIds.length === 0) return new Map()
  const rows = await connection<{ issue_id: string; release: string; occurrences: string }[]>`
    select issue_id, release, most.occurrences
    from unnest(${[...issueIds]}::uuid[]) as wanted (id)
      cross join lateral (
        select issue_id, release, occurrences from error_issue_releases
        where issue_id = wanted.id
        order by occurrences desc, release limit ${errorReleasesMax}) as most
    order by issue_id, most.occurrences desc, release`
  const releases = Map.groupBy(rows, ({ issue_id: issueId }) => issueId)
  return new Map(
    [...releases].map(([issueId, ofIssue]) => [
      issueId,
      ofIssue.map(({ release, occurrences }) => ({ release, occurrences: Number(occurrences) })),
    ]),
  )
}
