import type { ErrorIssue } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeErrorIssue } from '../events/issue.ts'
import { findErrorIssue, findErrorReleases } from './error-issues-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { newestOfIssue } from './occurrences-query.ts'
import { askClickHouse } from '../../operations/ask-clickhouse.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

/** Occurrences of an issue that are shown by itself. */
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
  const recent = await askClickHouse(context, accountId, () =>
    newestOfIssue(context.clickhouse, issue, recentMax),
  )
  if (isRefusal(recent)) return recent
  return describeErrorIssue(issue, releases.get(id) ?? [], recent)
}
