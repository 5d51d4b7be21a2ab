import type {
  OwnErrorProject,
  OwnErrorProjects,
} from '@probe-mesh/contracts/error-tracking/error-project'
import { describeErrorProject } from '../events/project.ts'
import type { ErrorCounts, ErrorProjectRecord } from '../events/project.ts'
import { monthOf } from '../events/month.ts'
import {
  findErrorCounts,
  findErrorProjects,
  findReceivedEver,
  findSpentByDeleted,
} from './error-projects-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
import { describeErrorUsage } from './get-error-usage.ts'

/** Error projects as the dashboard shows them, oldest first, and what they spent of the quota together. */
export const listOwnErrorProjects = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
): Promise<OwnErrorProjects> => {
  const nowMs = context.now()
  const month = monthOf(nowMs)
  const [projects, counts, received, spentByDeleted] = await inAccount(
    context.sql,
    accountId,
    (tx) =>
      Promise.all([
        findErrorProjects(tx, accountId),
        findErrorCounts(tx, accountId, month),
        findReceivedEver(tx, accountId),
        findSpentByDeleted(tx, accountId, month),
      ]),
  )
  const { tiers, publicUrl } = context.rules
  const quota = tiers[tier].errorEventsPerMonth
  return {
    projects: projects.map((project) =>
      describeOwnErrorProject(
        project,
        { counts: counts.get(project.id) ?? {}, receivedEver: received.get(project.id) ?? 0 },
        { quota, publicUrl },
      ),
    ),
    ...describeErrorUsage({ counts, spentByDeleted }, quota, nowMs),
  }
}

/** Pure. @param events.counts of this month */
export const describeOwnErrorProject = (
  project: ErrorProjectRecord,
  events: { counts: ErrorCounts; receivedEver: number },
  terms: { quota: number; publicUrl: string },
): OwnErrorProject => ({
  ...describeErrorProject(project, events.counts, terms),
  platform: project.platform,
  createdAt: new Date(project.createdAtMs).toISOString(),
  receivedEver: events.receivedEver,
})
