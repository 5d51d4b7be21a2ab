import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { agentBoundProblem } from './agent-bound.ts'
import type { CheckRecord } from '../check-record/check-record.ts'
import { findPagesPublishing } from '../page-record/components-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { resolveRegions } from './live-regions.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import type { CheckChange } from './revise-check.ts'

/**
 * Where a check is to be measured from, of a check that is locked. Regions that are not live, or a type
 * that no agent runs, are SV-2001, an agent that the account does not have SV-3001. A check that runs
 * from an agent is private for good, since its history is: SV-3002 to give it regions of the mesh, and
 * to give an agent to a check that a page publishes (S-2902).
 */
export const placeCheck = async (
  transaction: Transaction,
  check: CheckRecord,
  named: readonly Region[],
  live: readonly Region[],
): Promise<CheckChange | Refusal> => {
  const resolved = resolveRegions(named, live)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const { regions, allRegions } = resolved
  if (!resolved.private) return check.private ? conflict(staysPrivate) : { regions, allRegions }
  // an agent that was revoked since is no reason to refuse what does not touch it
  if (check.private && check.regions[0] === regions[0]) return {}
  const unbound = agentBoundProblem(check.type)
  if (unbound !== null) return refuse('SV-2001', { errors: [unbound] })
  const unknown = await refuseUnknownAgent(transaction, check.accountId, regions)
  if (unknown !== null) return unknown
  // the check's lock holds up whoever would publish it meanwhile
  const pages = check.private ? [] : await findPagesPublishing(transaction, check.id)
  if (pages.length > 0) return conflict(isPublished)
  return { regions, allRegions, private: true }
}

const staysPrivate =
  'This check runs from an agent of the account and stays private. Make another one to measure from regions of the mesh.'
const isPublished =
  'A status page publishes this check, and what an agent of the account measures is private. Take it off the page first.'

const conflict = (message: string): Refusal =>
  refuse('SV-3002', { message, errors: [{ path: 'regions', message }] })
