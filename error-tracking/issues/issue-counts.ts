import { errorIssueDays, type ErrorIssueDays, type ErrorIssueHours } from '../contracts/error-marks.ts'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { countSteps } from './occurrence-counts-query.ts'
import { findErrorIssue } from './error-issues-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import { queryCounts } from './error-issues.ts'
import type { AccountContext, Caller } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { findErrorProject } from '../projects/error-projects-store.ts'

const dayMs = 86_400_000

/** Events of an issue by UTC day, including the current one. Days without events are 0. */
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
  const range = { projectId: issue.projectId, issueIds: [id], fromMs, toMs, stepSeconds: 86_400 }
  const steps = await queryCounts(context, accountId, (deadline) =>
    countSteps(context.clickhouse, range, deadline),
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

const hourMs = 3_600_000
const hours = 24

/**
 * Events by hour of issues of one project in the last 24 hours, including the current one. Issues of other
 * projects have no entry.
 */
export const getErrorIssueHours = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id }, query }: { params: { id: string }; query: { ids: readonly string[] } },
): Promise<ErrorIssueHours | Refusal> => {
  const nowMs = context.now()
  const toMs = (Math.floor(nowMs / hourMs) + 1) * hourMs
  const fromMs = toMs - hours * hourMs
  const project = await inAccount(context.sql, accountId, (tx) => findErrorProject(tx, accountId, id))
  if (project === null) return refuse('SV-3001')
  const range = { projectId: id, issueIds: query.ids, fromMs, toMs, stepSeconds: hourMs / 1000 }
  const steps = await queryCounts(context, accountId, (deadline) =>
    countSteps(context.clickhouse, range, deadline),
  )
  if (isRefusal(steps)) return steps
  const issues = [...Map.groupBy(steps, ({ issueId }) => issueId)]
  return {
    from: instant(fromMs),
    to: instant(toMs),
    asOf: instant(nowMs),
    issues: issues.map(([issueId, ofIssue]) => ({
      issueId,
      hours: ofIssue.map(({ atMs, events }) => ({ at: instant(atMs), events })),
    })),
  }
}

const instant = (atMs: number): string => new Date(atMs).toISOString()
