import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import { selectField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import type { Html } from '@probe-mesh/runtime/html'

/** The types that an agent of the account can run; the API refuses the others. */
const boundTypes: ReadonlySet<CheckType> = new Set(['http', 'tcp', 'dns', 'smtp'])

/** The agent of the account that a text of regions names; empty for regions of the mesh. */
export const agentIn = (regions: string | undefined): string =>
  isPrivateRegion(regions ?? '') ? (regions ?? '') : ''

/**
 * Whether a check runs from regions of the mesh or from an agent of the account.
 * @returns null where there is nothing to choose
 */
export const agentField = (
  type: CheckType,
  form: FormState,
  agents: readonly Pick<PrivateAgent, 'name' | 'region' | 'revokedAt'>[],
): Html | null => {
  const chosen = agentIn(form.typed['regions'])
  const offered = agents.filter(({ region, revokedAt }) => revokedAt === null || region === chosen)
  if (!boundTypes.has(type) || offered.length === 0) return null
  return selectField(
    { ...form, typed: { ...form.typed, agent: chosen } },
    {
      name: 'agent',
      label: 'Runs from',
      hint: 'A check that runs from an agent of yours is private for good: no status page can show it.',
      choices: [
        { value: '', label: 'the regions ticked below' },
        ...offered.map(({ name, region, revokedAt }) => ({
          value: region,
          label: revokedAt === null ? `the agent ${name}` : `the agent ${name}, which was revoked`,
        })),
      ],
    },
  )
}
