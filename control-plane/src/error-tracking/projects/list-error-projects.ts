import type { ErrorProject } from '@probe-mesh/contracts/error-tracking/error-tracking'
import { monthOf } from '../events/month.ts'
import { describeErrorProject } from '../events/project.ts'
import { findErrorCounts, findErrorProjects } from './error-projects-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

/** Projects with the month's events and every drop counter (S-3002), oldest first. */
export const listErrorProjects = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
): Promise<{ projects: ErrorProject[] }> => {
  const month = monthOf(context.now())
  const [projects, counts] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([findErrorProjects(tx, accountId), findErrorCounts(tx, accountId, month)]),
  )
  const { tiers, publicUrl } = context.rules
  const quota = tiers[tier].errorEventsPerMonth
  return {
    projects: projects.map((project) =>
      describeErrorProject(project, counts.get(project.id) ?? {}, { quota, publicUrl }),
    ),
  }
}
