import { errorIssueDays } from '@probe-mesh/contracts/error-tracking/error-marks'
import type { ErrorIssueDays } from '@probe-mesh/contracts/error-tracking/error-marks'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { countSteps } from './occurrence-counts-query.ts'
import { findErrorIssue } from './error-issues-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { askCounts } from './ask-counts.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

const dayMs = 86_400_000

/** Events of an issue by the day, UTC, the day under way included; a day without any is 0. */
export const getErrorIssueDays = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorIssueDays | Refusal> => {
  const nowMs = context.now()
  const toMs = (Math.floor(nowMs / dayMs) + 1) * dayMs
  const fromMs = toMs - errorIssueDays * dayMs
  const issue = await inAccount(context.sql, accountId, (tx) => findErrorIssue(tx, accountId, id))
  if (issue === null) return refuse('SV-3001')
  const asked = { projectId: issue.projectId, issueIds: [id], fromMs, toMs, stepSeconds: 86_400 }
  const steps = await askCounts(context, accountId, (deadline) =>
    countSteps(context.clickhouse, asked, deadline),
  )
  if (isRefusal(steps)) return steps
  const events = new Map(steps.map(({ atMs, events }) => [atMs, events]))
  return {
    days: Array.from({ length: errorIssueDays }, (_, day) => {
      const atMs = fromMs + day * dayMs
      return { at: new Date(atMs).toISOString(), events: events.get(atMs) ?? 0 }
    }),
    asOf: new Date(nowMs).toISOString(),
  }
}
