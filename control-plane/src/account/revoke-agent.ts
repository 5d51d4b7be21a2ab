import type { PrivateAgent } from '@probe-mesh/contracts/agent'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { describePrivateAgent } from '../checks/private-agent.ts'
import {
  lockPrivateAgent,
  notifyPrivateAgentChanged,
  updatePrivateAgentRevoked,
} from '../postgres/private-agents.ts'
import type { AccountContext, Writer } from './context.ts'
import { write } from './write.ts'

/**
 * Lets a private agent in no more, at once. Its checks stay, go stale, and can be given another agent.
 * Revoking again changes nothing.
 */
export const revokeAgent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'revokeAgent'>,
): Promise<PrivateAgent | Refusal> => {
  const name = { action: 'revokeAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const agent = await lockPrivateAgent(tx, writer.accountId, id)
    if (agent === null) return refuse('SV-3001')
    const nowMs = context.now()
    const revokedAtMs = agent.revokedAtMs ?? nowMs
    await updatePrivateAgentRevoked(tx, id, revokedAtMs)
    await notifyPrivateAgentChanged(tx, id)
    return describePrivateAgent({ ...agent, revokedAtMs }, nowMs)
  })
}
