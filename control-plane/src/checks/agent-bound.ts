import { agentDecides } from '@probe-mesh/contracts/target/private-targets'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'

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
