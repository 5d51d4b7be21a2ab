import type {
  ErrorRegression,
  OwnErrorIssues,
} from '@probe-mesh/contracts/error-tracking/error-issue-acts'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { findErrorRegressions } from './error-issues-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
import { listErrorIssues } from './list-error-issues.ts'

/** A search of error issues as the dashboard shows it: with those that came back after they were resolved. */
export const listOwnErrorIssues = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  caller: Pick<Caller, 'accountId'>,
  input: RouteInput<'listErrorIssues'>,
): Promise<OwnErrorIssues | Refusal> => {
  const found = await listErrorIssues(context, caller, input)
  if (isRefusal(found)) return found
  const ids = found.issues.map(({ id }) => id)
  const regressions = await inAccount(context.sql, caller.accountId, (tx) =>
    findErrorRegressions(tx, caller.accountId, ids),
  )
  const described = [...regressions].map(([id, each]) => [id, describeRegression(each)] as const)
  return { ...found, regressions: Object.fromEntries(described) }
}

export const describeRegression = ({
  atMs,
  release,
}: {
  atMs: number
  release: string | null
}): ErrorRegression => ({ at: new Date(atMs).toISOString(), release })
