import {
  errorIssuesPageDefault,
  errorWindowMs,
  type ErrorIssue,
  type ErrorIssues,
  type ErrorIssuesQuery,
  type ErrorOccurrence,
  type ErrorIssueStatus,
} from '../contracts/error-tracking.ts'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeErrorIssue } from '../events/issue.ts'
import {
  findErrorIssue,
  findErrorReleases,
  searchErrorIssues,
  findErrorRegressions,
  updateErrorIssueStatus,
  updateErrorIssueStatuses,
  type IssueFilter,
} from './error-issues-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import { findIssuesByOrigin } from './breakdown-query.ts'
import { findRecentOccurrences, findIssuesByMessage, findNewestOccurrences } from './occurrences-query.ts'
import { queryClickHouse } from '@probe-mesh/control-plane/src/accounts/operations/query-clickhouse'
import type {
  AccountContext,
  Caller,
  Writer,
} from '@probe-mesh/control-plane/src/accounts/operations/context'
import { findErrorProject } from '../projects/error-projects-store.ts'
import type {
  ErrorRegression,
  OwnErrorIssues,
  OwnErrorIssuesQuery,
  SetErrorIssueStatusesInput,
  SetErrorIssueStatusInput,
} from '../contracts/error-issue-acts.ts'
import { cutPage, refuseCursor, timeCursor } from '@probe-mesh/control-plane/src/accounts/operations/page-of'
import { write } from '@probe-mesh/control-plane/src/accounts/operations/write'

/** Occurrences in the answer of one issue. */
const recentMax = 20

/** One error issue with its releases and recent occurrences. */
export const getErrorIssue = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: RouteInput<'getErrorIssue'>,
): Promise<ErrorIssue | Refusal> => {
  const [issue, releases] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([findErrorIssue(tx, accountId, id), findErrorReleases(tx, [id])]),
  )
  if (issue === null) return refuse('SV-3001')
  const recent = await queryClickHouse(context, accountId, () =>
    findRecentOccurrences(context.clickhouse, issue, recentMax),
  )
  if (isRefusal(recent)) return recent
  return describeErrorIssue(issue, releases.get(id) ?? [], recent)
}

/** Counts that take longer are left out, so that the page is not late. */
const answerMsMax = 2_000

/** Queries ClickHouse for counts of occurrences. SV-9002 if it is unavailable or too slow. */
export const queryCounts = async <T>(
  context: Pick<AccountContext, 'clickhouse' | 'log'>,
  accountId: string,
  query: (deadline: AbortSignal) => Promise<T>,
): Promise<T | Refusal> => {
  const deadline = AbortSignal.timeout(answerMsMax)
  return queryClickHouse(context, accountId, () => query(deadline)).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'clickhouse is unavailable or timed out')
    return refuse('SV-9002', { retryAfterSeconds: 5 })
  })
}

/**
 * Searches by text, release, status and time window (S-3013). A text is searched in the title, the culprit
 * and the messages of stored occurrences.
 * @param onlyIds limits the result to these issues
 */
export const listErrorIssues = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id }, query }: RouteInput<'listErrorIssues'>,
  onlyIds?: readonly string[],
): Promise<ErrorIssues | Refusal> => {
  const { clickhouse } = context
  const { q: text = '', limit = errorIssuesPageDefault } = query
  const after = query.cursor === undefined ? undefined : timeCursor.parse(query.cursor)
  if (after === null) return refuseCursor
  const owned = await inAccount(context.sql, accountId, (tx) => findErrorProject(tx, accountId, id))
  if (owned === null) return refuse('SV-3001')
  const matching =
    text === ''
      ? []
      : await queryClickHouse(context, accountId, () => findIssuesByMessage(clickhouse, id, text))
  // without ClickHouse the search continues without messages and reports an incomplete result
  const isComplete = !isRefusal(matching)
  const filter = {
    ...filterOf(query, context.now()),
    matchingIds: isComplete ? matching : [],
    ...(onlyIds && { onlyIds }),
  }
  const { issues, total, nextCursor, releases } = await inAccount(context.sql, accountId, async (tx) => {
    const found = await searchErrorIssues(tx, accountId, id, filter, limit + 1, after)
    const { entries, next } = cutPage(found.issues, limit, (last) =>
      timeCursor.format([last.lastSeenMs, last.id]),
    )
    const releases = await findErrorReleases(tx, idsOf(entries))
    return { issues: entries, total: found.total, nextCursor: next, releases }
  })
  const recent = await queryClickHouse(context, accountId, () =>
    findNewestOccurrences(clickhouse, id, issues),
  )
  const recentOf = (issueId: string): ErrorOccurrence[] => {
    const newest = isRefusal(recent) ? undefined : recent.get(issueId)
    return newest === undefined ? [] : [newest]
  }
  return {
    issues: issues.map((issue) =>
      describeErrorIssue(issue, releases.get(issue.id) ?? [], recentOf(issue.id)),
    ),
    total,
    complete: isComplete && issues.length === total,
    nextCursor,
  }
}

/** The filter of a query, without messages. Windows end at `nowMs`. */
export const filterOf = (
  { q, release, status, window }: ErrorIssuesQuery,
  nowMs: number,
): Omit<IssueFilter, 'matchingIds'> => ({
  text: q ?? null,
  release: release ?? null,
  status: status ?? null,
  seenSinceMs: window === undefined ? null : nowMs - errorWindowMs[window],
})

const idsOf = (issues: readonly { id: string }[]): string[] => issues.map(({ id }) => id)

/**
 * A search of error issues for the dashboard, with regressions. A search by environment or level needs
 * ClickHouse: without it the search is refused.
 */
export const listOwnErrorIssues = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  caller: Pick<Caller, 'accountId'>,
  { params, query }: { params: { id: string }; query: OwnErrorIssuesQuery },
): Promise<OwnErrorIssues | Refusal> => {
  const { environment = null, level = null, ...rest } = query
  const onlyIds =
    environment === null && level === null
      ? undefined
      : await issuesByOrigin(context, caller.accountId, params.id, { environment, level })
  if (isRefusal(onlyIds)) return onlyIds
  const found = await listErrorIssues(context, caller, { params, query: rest }, onlyIds)
  if (isRefusal(found)) return found
  const ids = found.issues.map(({ id }) => id)
  const regressions = await inAccount(context.sql, caller.accountId, (tx) =>
    findErrorRegressions(tx, caller.accountId, ids),
  )
  const described = [...regressions].map(([id, each]) => [id, describeRegression(each)] as const)
  return { ...found, regressions: Object.fromEntries(described) }
}

const issuesByOrigin = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'log'>,
  accountId: string,
  projectId: string,
  origin: { environment: string | null; level: string | null },
): Promise<string[] | Refusal> => {
  const owned = await inAccount(context.sql, accountId, (tx) => findErrorProject(tx, accountId, projectId))
  if (owned === null) return refuse('SV-3001')
  return queryCounts(context, accountId, (deadline) =>
    findIssuesByOrigin(context.clickhouse, projectId, origin, deadline),
  )
}

export const describeRegression = ({
  atMs,
  release,
}: {
  atMs: number
  release: string | null
}): ErrorRegression => ({ at: new Date(atMs).toISOString(), release })

/** Resolves, ignores or reopens an issue. SV-3001 for a missing issue or one of another account. */
export const setErrorIssueStatus = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body }: { params: { id: string }; body: SetErrorIssueStatusInput },
): Promise<{ id: string; status: ErrorIssueStatus } | Refusal> => {
  const name = { action: 'setErrorIssueStatus', resourceType: 'error_issue', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const issue = { id, accountId: writer.accountId, ...body }
    if (!(await updateErrorIssueStatus(tx, issue, context.now()))) return refuse('SV-3001')
    return { id, status: body.status }
  })
}

/** Resolves, ignores or reopens several issues of a project in one write. SV-3001 without the project. */
export const setErrorIssueStatuses = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: { params: { id: string }; body: SetErrorIssueStatusesInput },
): Promise<{ changed: string[] } | Refusal> => {
  const { accountId } = writer
  const name = {
    action: 'setErrorIssueStatus',
    resourceType: 'error_issue',
    resourceId: ({ changed }: { changed: readonly string[] }) => changed,
    answer: (written: { changed: string[] }) => written,
  }
  return write(context, writer, name, async (tx) => {
    if ((await findErrorProject(tx, accountId, params.id)) === null) return refuse('SV-3001')
    const issues = { ...body, accountId, projectId: params.id }
    return { changed: await updateErrorIssueStatuses(tx, issues, context.now()) }
  })
}
