import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal, FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { CheckRecord } from '../check-record/check-record.ts'
import { findPagesPublishing } from '../page-record/components-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { refuseUnknownAgent } from '../agents/refuse-unknown-agent.ts'
import type { CheckChange } from './revise-check.ts'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import { agentDecides } from '@probe-mesh/contracts/target/private-targets'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { CheckType } from '@probe-mesh/contracts/check/check'

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

/** The regions of an input, resolved: which they are, and whether they are simply all of them. */
type ResolvedRegions =
  | {
      ok: true
      regions: readonly Region[]
      allRegions: boolean
      /** It runs from an agent of the account alone; whether there is one is asked where it is saved. */
      private: boolean
    }
  | { ok: false; problems: FieldProblem[] }

/**
 * Omitted regions are all live ones (S-206). Naming every live region says
 * the same; naming another is a problem that names the live ones. An agent of the account stands by itself.
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
    ? 'an agent of the account measures alone: name it and nothing else'
    : `${region} is not live; live are ${live.join(', ')}`

/** What an account's own agent can run (S-2902). */
const boundTypes: ReadonlySet<CheckType> = new Set(['http', 'tcp', 'dns', 'smtp'])

/** Why a check of this type cannot run from an agent of the account; null where it can. Pure. */
export const agentBoundProblem = (type: CheckType): FieldProblem | null =>
  boundTypes.has(type)
    ? null
    : {
        path: 'regions[0]',
        message: `a ${type} check runs from the regions of the mesh only; an agent of the account runs http, tcp, dns and smtp checks`,
      }

/**
 * What the targets of a check are held to where it is saved: of one that runs from an agent of the
 * account the agent alone knows what it may reach, and judges every run. Pure.
 */
export const targetRuleOf = (
  regions: readonly Region[] | undefined,
  targetAllow: AllowList,
): AllowList => (regions?.some(isPrivateRegion) === true ? agentDecides : targetAllow)
