import { relayBudgetOf, relayWaitSeconds } from '@probe-mesh/contracts/agent/relay-budget'
import type { RelayAmount, RelayBudget } from '@probe-mesh/contracts/agent/relay-budget'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findAgentPace, refundRelayBudget, spendRelayBudget } from './private-budgets-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AdmittedAgent } from './context.ts'

/** How long what an agent's checks may produce is believed; a new check fits what an agent has at least. */
const paceAgeMsMax = 30_000
const agentsMax = 10_000

export type AgentBudgets = {
  /** Takes what a message costs, or says how long to wait for it: SV-6002. */
  spend(agent: AdmittedAgent, cost: RelayAmount): Promise<Refusal | null>
  /** The message was not taken after all. */
  refund(agent: AdmittedAgent, cost: RelayAmount): Promise<void>
}

/**
 * What private agents may send, by what their checks may produce; counted in Postgres for all control planes
 * (S-2908).
 */
export const createAgentBudgets = (capabilities: { sql: Sql; now: () => number }): AgentBudgets => {
  const { sql, now } = capabilities
  const known = createExpiringCache<RelayBudget>({
    now,
    ageMsMax: paceAgeMsMax,
    entriesMax: agentsMax,
  })
  const read = async (agent: AdmittedAgent) => {
    const budget = relayBudgetOf(await findAgentPace(sql, agent))
    return { keep: budget, value: budget }
  }
  const budgetOf = async (agent: AdmittedAgent): Promise<RelayBudget> =>
    known.peek(agent.id) ?? known.load(agent.id, agent.id, () => read(agent))
  return {
    spend: async (agent, cost) => {
      const budget = await budgetOf(agent)
      const left = await spendRelayBudget(sql, agent.id, { budget, cost, nowMs: now() })
      if (left === null) return null
      const retryAfterSeconds = relayWaitSeconds(budget, left, cost)
      return refuse('SV-6002', { message: spent, retryAfterSeconds })
    },
    refund: (agent, cost) => refundRelayBudget(sql, agent.id, cost),
  }
}

const spent =
  'This agent has sent more than its checks can produce. Keep the readings, and send them again as Retry-After says.'
