import {
  errorIssuesPageDefault,
  errorWindowMs,
} from '@probe-mesh/contracts/error-tracking/error-tracking'
import type {
  ErrorIssues,
  ErrorIssuesQuery,
  ErrorOccurrence,
} from '@probe-mesh/contracts/error-tracking/error-tracking'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { issuesThatSay, newestOfEach } from './occurrences-query.ts'
import { describeErrorIssue } from '../events/issue.ts'
import { findErrorReleases, searchErrorIssues } from './error-issues-store.ts'
import type { IssueFilter } from './error-issues-store.ts'
import { findErrorProject } from '../projects/error-projects-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { askClickHouse } from '../../operations/ask-clickhouse.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

/**
 * Searches by text, release, status and time window (S-3013). A text is
 * looked for in the title, the culprit and the messages of the occurrences that are kept.
 */
export const listErrorIssues = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id }, query }: RouteInput<'listErrorIssues'>,
): Promise<ErrorIssues | Refusal> => {
  const { clickhouse } = context
  const { q: text = '', limit = errorIssuesPageDefault } = query
  const owned = await inAccount(context.sql, accountId, (tx) => findErrorProject(tx, accountId, id))
  if (owned === null) return refuse('SV-3001')
  const saying =
    text === ''
      ? []
      : await askClickHouse(context, accountId, () => issuesThatSay(clickhouse, id, text))
  // without the store of occurrences a search stands, and says that it is not all
  const isWhole = !isRefusal(saying)
  const filter = { ...filterOf(query, context.now()), saying: isWhole ? saying : [] }
  const { issues, total, releases } = await inAccount(context.sql, accountId, async (tx) => {
    const { issues, total } = await searchErrorIssues(tx, accountId, id, filter, limit)
    return { issues, total, releases: await findErrorReleases(tx, idsOf(issues)) }
  })
  const recent = await askClickHouse(context, accountId, () => newestOfEach(clickhouse, id, issues))
  const recentOf = (issueId: string): ErrorOccurrence[] => {
    const newest = isRefusal(recent) ? undefined : recent.get(issueId)
    return newest === undefined ? [] : [newest]
  }
  return {
    issues: issues.map((issue) =>
      describeErrorIssue(issue, releases.get(issue.id) ?? [], recentOf(issue.id)),
    ),
    total,
    complete: isWhole && issues.length === total,
  }
}

/** A search as the store takes it; windows end at `nowMs`. Pure. */
export const filterOf = (
  { q, release, status, window }: ErrorIssuesQuery,
  nowMs: number,
): Omit<IssueFilter, 'saying'> => ({
  text: q ?? null,
  release: release ?? null,
  status: status ?? null,
  seenSinceMs: window === undefined ? null : nowMs - errorWindowMs[window],
})

const idsOf = (issues: readonly { id: string }[]): string[] => issues.map(({ id }) => id)
