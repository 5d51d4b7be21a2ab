import { errorReleasesMax, type ErrorIssueStatus } from '../contracts/error-tracking.ts'
import type { ErrorIssueRecord, ErrorRelease } from '../events/issue.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

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

/** The filters of a search; null means no filter. */
export type IssueFilter = {
  /** Part of the title or the culprit, case-insensitive, without wildcards. */
  text: string | null
  /** Ids of issues that match the text in an occurrence's message. */
  matchingIds: readonly string[]
  release: string | null
  status: ErrorIssueStatus | null
  seenSinceMs: number | null
  /** Limits the result to these issues. */
  onlyIds?: readonly string[]
}

/** The issues of a project that match all filters, last seen first after a position, and their total. */
export const searchErrorIssues = async (
  db: Connection,
  accountId: string,
  projectId: string,
  { text, matchingIds, release, status, seenSinceMs, onlyIds }: IssueFilter,
  limit: number,
  after?: [number, string],
): Promise<{ issues: ErrorIssueRecord[]; total: number }> => {
  const since = seenSinceMs === null ? null : new Date(seenSinceMs)
  const rows = await db<(IssueRow & { total: number })[]>`
    with matching as (
    select id, project_id, title, culprit, status, occurrences, first_seen, last_seen,
      count(*) over ()::integer as total
    from error_issues
    where account_id = ${accountId} and project_id = ${projectId}
      and (${status}::text is null or status = ${status})
      and (${since}::timestamptz is null or last_seen >= ${since})
      and (${onlyIds === undefined} or id = any(${[...(onlyIds ?? [])]}::uuid[]))
      and (${release}::text is null or exists (
        select from error_issue_releases
        where issue_id = error_issues.id and release = ${release}))
      and (${text}::text is null or strpos(lower(title), lower(${text})) > 0
        or strpos(lower(culprit), lower(${text})) > 0 or id = any(${[...matchingIds]}::uuid[]))
    )
    select * from matching
    ${after === undefined ? db`` : db`where (last_seen, id) < (${new Date(after[0])}, ${after[1]}::uuid)`}
    order by last_seen desc, id desc limit ${limit}`
  return { issues: rows.map(toIssue), total: rows[0]?.total ?? 0 }
}

/** One error issue of an account; null if missing or of another account. */
export const findErrorIssue = async (
  db: Connection,
  accountId: string,
  issueId: string,
): Promise<ErrorIssueRecord | null> => {
  const [row] = await db<IssueRow[]>`
    select id, project_id, title, culprit, status, occurrences, first_seen, last_seen
    from error_issues where id = ${issueId} and account_id = ${accountId}`
  return row === undefined ? null : toIssue(row)
}

/**
 * The releases of these issues, by issue id: of each issue the `errorReleasesMax` with most occurrences. An
 * issue without a release has no entry.
 */
export const findErrorReleases = async (
  db: Connection,
  issueIds: readonly string[],
): Promise<Map<string, ErrorRelease[]>> => {
  if (issueIds.length === 0) return new Map()
  const rows = await db<{ issue_id: string; release: string; occurrences: string }[]>`
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

/** When and how an issue was resolved; null if it is not resolved. */
export const findErrorResolution = async (
  db: Connection,
  accountId: string,
  issueId: string,
): Promise<{ atMs: number; inNextRelease: boolean } | null> => {
  const [row] = await db<{ resolved_at: Date; resolved_in_next_release: boolean }[]>`
    select resolved_at, resolved_in_next_release from error_issues
    where id = ${issueId} and account_id = ${accountId}
      and status = 'resolved' and resolved_at is not null`
  if (row === undefined) return null
  return { atMs: row.resolved_at.getTime(), inNextRelease: row.resolved_in_next_release }
}

/** The last regression of each of these issues, by issue id. An issue without one has no entry. */
export const findErrorRegressions = async (
  db: Connection,
  accountId: string,
  issueIds: readonly string[],
): Promise<Map<string, { atMs: number; release: string | null }>> => {
  if (issueIds.length === 0) return new Map()
  const rows = await db<{ id: string; regressed_at: Date; regressed_release: string | null }[]>`
    select id, regressed_at, regressed_release from error_issues
    where id = any(${[...issueIds]}::uuid[]) and account_id = ${accountId}
      and regressed_at is not null`
  return new Map(
    rows.map((row) => [row.id, { atMs: row.regressed_at.getTime(), release: row.regressed_release }]),
  )
}

/** The releases of a project, first seen last first. */
export const findProjectReleases = async (
  db: Connection,
  projectId: string,
  limit: number,
): Promise<string[]> => {
  const rows = await db<{ release: string }[]>`
    select release from error_project_releases where project_id = ${projectId}
    order by first_seen desc, release limit ${limit}`
  return rows.map(({ release }) => release)
}

/** @returns whether the account has the issue */
export const updateErrorIssueStatus = async (
  tx: Transaction,
  issue: { id: string; accountId: string; status: ErrorIssueStatus; inNextRelease: boolean },
  nowMs: number,
): Promise<boolean> => {
  const resolvedAt = issue.status === 'resolved' ? new Date(nowMs) : null
  const { count } = await tx`
    update error_issues set status = ${issue.status}, resolved_at = ${resolvedAt}::timestamptz,
      resolved_in_next_release = ${issue.inNextRelease}
    where id = ${issue.id} and account_id = ${issue.accountId}`
  return count > 0
}

/** @returns the ids that the project has */
export const updateErrorIssueStatuses = async (
  tx: Transaction,
  issues: {
    ids: readonly string[]
    accountId: string
    projectId: string
    status: ErrorIssueStatus
    inNextRelease: boolean
  },
  nowMs: number,
): Promise<string[]> => {
  const resolvedAt = issues.status === 'resolved' ? new Date(nowMs) : null
  const rows = await tx<{ id: string }[]>`
    update error_issues set status = ${issues.status}, resolved_at = ${resolvedAt}::timestamptz,
      resolved_in_next_release = ${issues.inNextRelease}
    where id = any(${[...issues.ids]}::uuid[]) and project_id = ${issues.projectId}
      and account_id = ${issues.accountId}
    returning id`
  return rows.map(({ id }) => id)
}
