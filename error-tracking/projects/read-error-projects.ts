import type {
  ErrorProjectDetails,
  OwnErrorProject,
  OwnErrorProjects,
  ErrorUsage,
} from '../contracts/error-project.ts'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeErrorKey, findErrorKeys } from './error-keys.ts'
import { monthOf, nextMonthMs } from '../events/quota.ts'
import {
  findErrorCounts,
  findErrorProject,
  findIssueActivity,
  findReceivedEver,
  findSpentByDeleted,
  findErrorProjects,
} from './error-projects-store.ts'
import { findErrorSettings } from './error-settings-store.ts'
import { pageOf } from '@probe-mesh/control-plane/src/accounts/operations/page-of'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import type { AccountContext, Caller } from '@probe-mesh/control-plane/src/accounts/operations/context'
import type { Connection } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import type { ErrorProject } from '../contracts/error-tracking.ts'
import { describeErrorProject, type ErrorCounts, type ErrorProjectRecord } from './project.ts'

/** The error events that an account used of its monthly quota. */
export const getErrorUsage = async (
  { sql, rules, now }: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
): Promise<ErrorUsage> => {
  const nowMs = now()
  const month = monthOf(nowMs)
  const [counts, spentByDeleted] = await inAccount(sql, accountId, (tx) =>
    Promise.all([findErrorCounts(tx, accountId, month), findSpentByDeleted(tx, accountId, month)]),
  )
  return describeErrorUsage({ counts, spentByDeleted }, rules.tiers[tier].errorEventsPerMonth, nowMs)
}

/** @param events of the month of `nowMs`, by project id */
const describeErrorUsage = (
  events: { counts: ReadonlyMap<string, ErrorCounts>; spentByDeleted: number },
  quota: number,
  nowMs: number,
): ErrorUsage => ({
  since: new Date(monthOf(nowMs)).toISOString(),
  until: new Date(nextMonthMs(nowMs)).toISOString(),
  asOf: new Date(nowMs).toISOString(),
  quota,
  spent: [...events.counts.values()].reduce((sum, { stored = 0 }) => sum + stored, events.spentByDeleted),
})

/** Error projects for the dashboard, oldest first, with the quota and its use by the account. */
export const listOwnErrorProjects = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
): Promise<OwnErrorProjects> => {
  const nowMs = context.now()
  const month = monthOf(nowMs)
  const [projects, counts, received, activity, spentByDeleted] = await inAccount(
    context.sql,
    accountId,
    (tx) =>
      Promise.all([
        findErrorProjects(tx, accountId),
        findErrorCounts(tx, accountId, month),
        findReceivedEver(tx, accountId),
        findIssueActivity(tx, accountId),
        findSpentByDeleted(tx, accountId, month),
      ]),
  )
  const { tiers, publicUrl } = context.rules
  const quota = tiers[tier].errorEventsPerMonth
  return {
    projects: projects.map((project) =>
      describeOwnErrorProject(
        project,
        {
          counts: counts.get(project.id) ?? {},
          receivedEver: received.get(project.id) ?? 0,
          activity: activity.get(project.id),
        },
        { quota, publicUrl },
      ),
    ),
    ...describeErrorUsage({ counts, spentByDeleted }, quota, nowMs),
  }
}

/** @param events.counts of this month */
const describeOwnErrorProject = (
  project: ErrorProjectRecord,
  events: {
    counts: ErrorCounts
    receivedEver: number
    /** undefined without issues. */
    activity: { openIssues: number; lastEventMs: number } | undefined
  },
  options: { quota: number; publicUrl: string },
): OwnErrorProject => ({
  ...describeErrorProject(project, events.counts, options),
  platform: project.platform,
  createdAt: new Date(project.createdAtMs).toISOString(),
  receivedEver: events.receivedEver,
  openIssues: events.activity?.openIssues ?? 0,
  lastEventAt: events.activity === undefined ? null : new Date(events.activity.lastEventMs).toISOString(),
})

/**
 * Events that a project's SDKs reported as dropped in one month, most first.
 * @param month in the format of `monthOf`
 */
const findClientReports = async (
  db: Connection,
  accountId: string,
  projectId: string,
  month: string,
): Promise<ErrorProjectDetails['clientReports']> => {
  const rows = await db<{ reason: string; category: string; quantity: string }[]>`
    select reason, category, quantity from error_client_reports
    where project_id = ${projectId} and account_id = ${accountId} and month = ${month}::date
    order by error_client_reports.quantity desc, reason, category`
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }))
}

/** Items of other types than error events in one month, which are not stored, most first. */
const findUnsupportedItems = async (
  db: Connection,
  accountId: string,
  projectId: string,
  month: string,
): Promise<ErrorProjectDetails['unsupported']> => {
  const rows = await db<{ type: string; items: string }[]>`
    select type, items from error_unsupported_items
    where project_id = ${projectId} and account_id = ${accountId} and month = ${month}::date
    order by error_unsupported_items.items desc, type`
  return rows.map(({ type, items }) => ({ type, items: Number(items) }))
}

/** One error project with its keys, settings and counters of this month. */
export const getErrorProject = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorProjectDetails | Refusal> => {
  const nowMs = context.now()
  const month = monthOf(nowMs)
  const found = await inAccount(context.sql, accountId, async (tx) => {
    const [project, settings, counts, spentByDeleted, received, activity] = await Promise.all([
      findErrorProject(tx, accountId, id),
      findErrorSettings(tx, accountId, id),
      findErrorCounts(tx, accountId, month),
      findSpentByDeleted(tx, accountId, month),
      findReceivedEver(tx, accountId),
      findIssueActivity(tx, accountId),
    ])
    if (project === null || settings === null) return null
    const [keys, issues, clientReports, unsupported] = await Promise.all([
      findErrorKeys(tx, accountId, id),
      countErrorIssues(tx, accountId, id),
      findClientReports(tx, accountId, id, month),
      findUnsupportedItems(tx, accountId, id, month),
    ])
    const details = { settings, issues, clientReports, unsupported }
    return { project, counts, spentByDeleted, received, activity, keys, details }
  })
  if (found === null) return refuse('SV-3001')
  const { project, counts, received, activity, keys, details } = found
  const { tiers, publicUrl } = context.rules
  const quota = tiers[tier].errorEventsPerMonth
  const events = {
    counts: counts.get(id) ?? {},
    receivedEver: received.get(id) ?? 0,
    activity: activity.get(id),
  }
  return {
    ...describeOwnErrorProject(project, events, { quota, publicUrl }),
    since: new Date(month).toISOString(),
    asOf: new Date(nowMs).toISOString(),
    keys: keys.map((key) => describeErrorKey(key, project, publicUrl)),
    usage: describeErrorUsage(found, quota, nowMs),
    ...details,
  }
}

/** Projects with the month's stored events and all drop counters (S-3002), oldest first. */
export const listErrorProjects = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
  { query }: RouteInput<'listErrorProjects'>,
): Promise<{ projects: ErrorProject[]; nextCursor: string | null } | Refusal> => {
  const month = monthOf(context.now())
  const [projects, counts] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([findErrorProjects(tx, accountId), findErrorCounts(tx, accountId, month)]),
  )
  const { tiers, publicUrl } = context.rules
  const quota = tiers[tier].errorEventsPerMonth
  const page = pageOf(
    projects.map((project) =>
      describeErrorProject(project, counts.get(project.id) ?? {}, { quota, publicUrl }),
    ),
    query,
  )
  return isRefusal(page) ? page : { projects: page.entries, nextCursor: page.nextCursor }
}

/** The number of issues of one project, of any status. */
const countErrorIssues = async (db: Connection, accountId: string, projectId: string): Promise<number> => {
  const [row] = await db<{ issues: number }[]>`
    select count(*)::integer as issues from error_issues
    where project_id = ${projectId} and account_id = ${accountId}`
  return row?.issues ?? 0
}
