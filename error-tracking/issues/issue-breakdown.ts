import {
  breakdownEventsMax,
  breakdownTagsMax,
  breakdownValuesMax,
  facetsMax,
  type ErrorFacets,
  type ErrorIssueBreakdown,
} from '../contracts/error-breakdown.ts'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AccountContext, Caller } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import { findErrorProject } from '../projects/error-projects-store.ts'
import { countTags, countUsers, findEnvironments, type TagCount } from './breakdown-query.ts'
import { findErrorIssue, findProjectReleases } from './error-issues-store.ts'
import { queryCounts } from './error-issues.ts'

/** Users and tags of the newest events of an issue. */
export const getErrorIssueBreakdown = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorIssueBreakdown | Refusal> => {
  const issue = await inAccount(context.sql, accountId, (tx) => findErrorIssue(tx, accountId, id))
  if (issue === null) return refuse('SV-3001')
  const newest = { projectId: issue.projectId, issueId: id, limit: breakdownEventsMax }
  const bounds = { tagsMax: breakdownTagsMax, valuesMax: breakdownValuesMax }
  const counted = await queryCounts(context, accountId, (deadline) =>
    Promise.all([
      countUsers(context.clickhouse, newest, deadline),
      countTags(context.clickhouse, { ...newest, ...bounds }, deadline),
    ]),
  )
  if (isRefusal(counted)) return counted
  const [{ events, users }, tags] = counted
  return { events, users, tags: groupTags(tags), asOf: new Date(context.now()).toISOString() }
}

/** @param counts tag after tag, in the order of the result */
const groupTags = (counts: readonly TagCount[]): ErrorIssueBreakdown['tags'] =>
  [...Map.groupBy(counts, ({ key }) => key)].slice(0, breakdownTagsMax).map(([key, values]) => ({
    key,
    events: values[0]?.ofKey ?? 0,
    values: values.map(({ value, events }) => ({ value, events })),
  }))

/** Releases and environments of a project. Environments are null while ClickHouse is unavailable. */
export const getErrorFacets = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'log'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorFacets | Refusal> => {
  const [project, releases] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([findErrorProject(tx, accountId, id), findProjectReleases(tx, id, facetsMax)]),
  )
  if (project === null) return refuse('SV-3001')
  const environments = await queryCounts(context, accountId, (deadline) =>
    findEnvironments(context.clickhouse, id, facetsMax, deadline),
  )
  return { releases, environments: isRefusal(environments) ? null : environments }
}
