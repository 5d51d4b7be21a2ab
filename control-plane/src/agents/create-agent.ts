import type { CreatedAgent } from '@probe-mesh/contracts/agent/agent'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describePrivateAgent } from './private-agent.ts'
import type { PrivateAgentRecord } from './private-agent.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { countOpenPrivateAgents, insertPrivateAgent } from './private-agents-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { newAgentToken } from './new-agent-token.ts'
import { write } from '../operations/write.ts'

/**
 * Enrols a private agent. Its token is shown this once, so no repetition is answered with it: SV-4001
 * (S-2901).
 */
export const createAgent = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { body }: RouteInput<'createAgent'>,
): Promise<CreatedAgent | Refusal> => {
  const nowMs = context.now()
  const id = uuidv7(nowMs)
  const { token, tokenHash, hint } = newAgentToken(id)
  const agent: PrivateAgentRecord = {
    id,
    accountId: writer.accountId,
    name: body.name,
    hint,
    createdAtMs: nowMs,
    rotatedAtMs: null,
    revokedAtMs: null,
    version: null,
    lastSeenAtMs: null,
    report: null,
    checks: 0,
  }
  const name = { action: 'createAgent', resourceType: 'agent', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const account = await lockAccount(tx, writer.accountId)
    if (account === null) return refuse('SV-1002')
    const { agents } = context.rules.tiers[account.tier]
    if ((await countOpenPrivateAgents(tx, account.id)) >= agents) {
      return refuse('SV-4001', {
        message: `The ${account.tier} tier allows ${agents} private ${agents === 1 ? 'agent' : 'agents'}, and the account has as many.`,
      })
    }
    await insertPrivateAgent(tx, agent, tokenHash)
    const meshUrl = context.rules.publicUrl
    return { agent: describePrivateAgent(agent, nowMs), token, meshUrl }
  })
}
