import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import { describePrivateAgent } from './private-agent.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findPrivateAgents } from './private-agents-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/** An account's private agents, revoked ones included, oldest first. */
export const listAgents = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<{ agents: PrivateAgent[] }> => {
  const agents = await inAccount(sql, accountId, (tx) => findPrivateAgents(tx, accountId))
  return { agents: agents.map((agent) => describePrivateAgent(agent, now())) }
}
