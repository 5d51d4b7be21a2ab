import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describePrivateAgent } from './private-agent.ts'
import {
  lockPrivateAgent,
  notifyPrivateAgentChanged,
  updatePrivateAgentRevoked,
} from './private-agents-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

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
