import { errorIssuesPageDefault, errorWindowMs } from '@probe-mesh/contracts/error-tracking'
import type { ErrorIssues, ErrorIssuesQuery } from '@probe-mesh/contracts/error-tracking'
import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { describeErrorIssue } from '../error-tracking/issue.ts'
import { findErrorReleases, searchErrorIssues } from '../postgres/error-issues.ts'
import type { IssueFilter } from '../postgres/error-issues.ts'
import { findErrorProject } from '../postgres/error-projects.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Caller } from './context.ts'
import { readRecentOccurrences } from './read-recent-occurrences.ts'

/** "Searches by text, release, status and time window" (specification, `list_error_issues`). */
export const listErrorIssues = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id }, query }: RouteInput<'listErrorIssues'>,
): Promise<ErrorIssues | Refusal> => {
  const filter = filterOf(query, context.now())
  const found = await inAccount(context.sql, accountId, async (tx) => {
    if ((await findErrorProject(tx, accountId, id)) === null) return refuse('SV-3001')
    const limit = query.limit ?? errorIssuesPageDefault
    const { issues, total } = await searchErrorIssues(tx, accountId, id, filter, limit)
    const releases = await findErrorReleases(tx, idsOf(issues))
    return { issues, total, releases }
  })
  if (isRefusal(found)) return found
  const { issues, total, releases } = found
  const recent = await readRecentOccurrences(context, issues, 1)
  // a search may show fewer, and stands without the store of occurrences
  const recentOf = (id: string) => (isRefusal(recent) ? [] : (recent.get(id) ?? []))
  return {
    issues: issues.map((issue) =>
      describeErrorIssue(issue, releases.get(issue.id) ?? [], recentOf(issue.id)),
    ),
    total,
    complete: issues.length === total,
  }
}

const filterOf = (
  { q, release, status, window }: ErrorIssuesQuery,
  nowMs: number,
): IssueFilter => ({
  text: q ?? null,
  release: release ?? null,
  status: status ?? null,
  seenSinceMs: window === undefined ? null : nowMs - errorWindowMs[window],
})

const idsOf = (issues: readonly { id: string }[]): string[] => issues.map(({ id }) => id)
