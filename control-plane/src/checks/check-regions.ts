import { refuse, type Refusal, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckRecord } from '../records/check/check-record.ts'
import { findPagesPublishing } from '../records/status-page/components-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import type { CheckChange } from './revise-check.ts'
import { mixedRegionsMessage } from '@probe-mesh/contracts/check/create-check-input'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import { privateTypes } from '@probe-mesh/contracts/check/types-with-settings'
import type { CheckType } from '@probe-mesh/contracts/check/check'

/**
 * Changes the regions of a locked check. SV-2001 for regions that are not live and for a type that no private
 * agent runs; SV-3001 for an agent that the account does not have. A check on a private agent stays private,
 * because its history is: SV-3002 for giving it regions of the mesh, and for giving an agent to a check that
 * a page publishes (S-2902).
 */
export const placeCheck = async (
  tx: Transaction,
  check: CheckRecord,
  named: readonly Region[],
  live: readonly Region[],
): Promise<CheckChange | Refusal> => {
  const resolved = resolveRegions(named, live)
  if (!resolved.ok) return refuse('SV-2001', { errors: resolved.problems })
  const { regions, allRegions } = resolved
  if (!resolved.private) return check.private ? conflict(staysPrivate) : { regions, allRegions }
  // nothing moves, so it does not matter whether the agent was revoked since
  if (check.private && check.regions[0] === regions[0]) return {}
  const unbound = agentBoundProblem(check.type)
  if (unbound !== null) return refuse('SV-2001', { errors: [unbound] })
  const unknown = await refuseUnknownAgent(tx, check.accountId, regions)
  if (unknown !== null) return unknown
  const published = check.private ? null : await refusePublishing(tx, check.id)
  return published ?? { regions, allRegions, private: true }
}

/**
 * SV-3002 if a page publishes a check that is to run on a private agent. The lock of the check delays anyone who
 * would publish it meanwhile.
 */
export const refusePublishing = async (tx: Transaction, checkId: string): Promise<Refusal | null> =>
  (await findPagesPublishing(tx, checkId)).length > 0 ? conflict(isPublished) : null

const staysPrivate =
  'This check runs on a private agent and stays private. Create another check to measure from regions of the mesh.'
const isPublished =
  'A status page publishes this check, and readings of a private agent are private. Remove the check from the page first.'

const conflict = (message: string): Refusal =>
  refuse('SV-3002', { message, errors: [{ path: 'regions', message }] })

/** The regions of an input, resolved. */
type ResolvedRegions =
  | {
      ok: true
      regions: readonly Region[]
      allRegions: boolean
      /** It runs on a private agent; saving checks that the agent exists. */
      private: boolean
    }
  | { ok: false; problems: FieldProblem[] }

/**
 * Without regions, a check runs in all live ones (S-206), and so does a check that names all of them. A
 * region that is not live is a problem, and its message lists the live ones. A private agent must be named
 * alone.
 */
export const resolveRegions = (
  named: readonly Region[] | undefined,
  live: readonly Region[],
): ResolvedRegions => {
  if (named === undefined) return { ok: true, regions: live, allRegions: true, private: false }
  const [first = ''] = named
  if (named.length === 1 && isPrivateRegion(first)) {
    return { ok: true, regions: named, allRegions: false, private: true }
  }
  const problems = named.flatMap((region, index) =>
    live.includes(region) ? [] : { path: `regions[${index}]`, message: whyNot(region, live) },
  )
  if (problems.length > 0) return { ok: false, problems }
  const allRegions = live.every((region) => named.includes(region))
  return { ok: true, regions: allRegions ? live : named, allRegions, private: false }
}

const whyNot = (region: Region, live: readonly Region[]): string =>
  isPrivateRegion(region)
    ? mixedRegionsMessage
    : `${region} is not a live region; live regions: ${live.join(', ')}`

const runPrivately = new Intl.ListFormat('en-GB').format(privateTypes)

/** Why a check of this type cannot run on a private agent; null if it can. */
export const agentBoundProblem = (type: CheckType): FieldProblem | null =>
  privateTypes.has(type)
    ? null
    : {
        path: 'regions[0]',
        message: `a private agent runs ${runPrivately} checks; a ${type} check needs regions of the mesh`,
      }
