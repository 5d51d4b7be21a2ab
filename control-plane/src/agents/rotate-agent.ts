import type { CreatedAgent } from '@probe-mesh/contracts/agent/agent'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describePrivateAgent } from './private-agent.ts'
import {
  lockPrivateAgent,
  notifyPrivateAgentChanged,
  updatePrivateAgentToken,
} from './private-agents-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { newAgentToken } from './new-agent-token.ts'
import { write } from '../operations/write.ts'

/** Gives a private agent a new token; who holds the former one is cut off. Revoked: SV-3002. */
export const rotateAgent = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { params: { id } }: RouteInput<'rotateAgent'>,
): Promise<CreatedAgent | Refusal> => {
  const { token, tokenHash, hint } = newAgentToken(id)
  const name = { action: 'rotateAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const agent = await lockPrivateAgent(tx, writer.accountId, id)
    if (agent === null) return refuse('SV-3001')
    if (agent.revokedAtMs !== null) {
      return refuse('SV-3002', { message: 'This agent was revoked: enrol another one.' })
    }
    const rotatedAtMs = context.now()
    await updatePrivateAgentToken(tx, id, { tokenHash, hint, rotatedAtMs })
    await notifyPrivateAgentChanged(tx, id)
    const rotated = describePrivateAgent({ ...agent, hint, rotatedAtMs }, rotatedAtMs)
    return { agent: rotated, token, meshUrl: context.rules.publicUrl }
  })
}
