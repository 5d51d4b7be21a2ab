import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-project'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { describeErrorKey } from '../error-tracking/key.ts'
import { monthOf } from '../error-tracking/month.ts'
import { countErrorIssues } from '../postgres/error-issues.ts'
import { findErrorKeys } from '../postgres/error-keys.ts'
import { findErrorCounts, findErrorProject, findReceivedEver } from '../postgres/error-projects.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Caller } from './context.ts'
import { describeOwnErrorProject } from './list-own-error-projects.ts'

/** One error project with its keys and the counters of this month. */
export const getErrorProject = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorProjectDetails | Refusal> => {
  const nowMs = context.now()
  const month = monthOf(nowMs)
  const [project, counts, received, keys, issues] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([
      findErrorProject(tx, accountId, id),
      findErrorCounts(tx, accountId, month),
      findReceivedEver(tx, accountId),
      findErrorKeys(tx, accountId, id),
      countErrorIssues(tx, accountId, id),
    ]),
  )
  if (project === null) return refuse('SV-3001')
  const { tiers, publicUrl } = context.rules
  const quota = tiers[tier].errorEventsPerMonth
  const events = { counts: counts.get(id) ?? {}, receivedEver: received.get(id) ?? 0 }
  return {
    ...describeOwnErrorProject(project, events, { quota, publicUrl }),
    since: new Date(month).toISOString(),
    asOf: new Date(nowMs).toISOString(),
    keys: keys.map((key) => describeErrorKey(key, project, publicUrl)),
    issues,
  }
}
