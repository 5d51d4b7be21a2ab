import {
  relayBudgetOf,
  relayWaitSeconds,
  type RelayAmount,
  type RelayBudget,
} from '@probe-mesh/contracts/agent/relay-budget'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Sql, Connection } from '../../stores/postgres/connect.ts'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'

/** The age limit of an agent's cached budget. The minimum budget has room for a new check. */
const paceAgeMsMax = 30_000
const agentsMax = 10_000

/** A private agent and the account that it belongs to. */
type Agent = { id: string; accountId: string }

export type AgentBudgets = {
  /** Spends the cost of a message, or refuses it with the time to wait: SV-6002. */
  spend(agent: Agent, cost: RelayAmount): Promise<Refusal | null>
  /** Refunds the cost of a message that was not accepted. */
  refund(agent: Agent, cost: RelayAmount): Promise<void>
}

/**
 * The budget of private agents: what their checks may produce, counted in Postgres for all control planes
 * (S-2908).
 */
export const createAgentBudgets = (capabilities: { sql: Sql; now: () => number }): AgentBudgets => {
  const { sql, now } = capabilities
  const known = createExpiringCache<RelayBudget>({
    now,
    ageMsMax: paceAgeMsMax,
    entriesMax: agentsMax,
  })
  const read = async (agent: Agent) => {
    const budget = relayBudgetOf(await findAgentPace(sql, agent))
    return { keep: budget, value: budget }
  }
  const budgetOf = async (agent: Agent): Promise<RelayBudget> =>
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
  'This agent has sent more than its checks can produce. Keep the readings and send them again after the time in Retry-After.'

/**
 * Runs per minute of the checks of an agent, by type. Paused checks count: their readings may still be sent.
 */
const findAgentPace = async (
  db: Connection,
  { id, accountId }: { id: string; accountId: string },
): Promise<{ type: CheckType; runsPerMinute: number }[]> => {
  const rows = await db<{ type: CheckType; runs: number }[]>`
    select type, sum(60.0 / interval_seconds)::double precision as runs from checks
    where private and regions[1] = ${privateRegion(id)} and account_id = ${accountId}
    group by type`
  return rows.map(({ type, runs }) => ({ type, runsPerMinute: runs }))
}

/** The current content of an agent's budget. */
const filled = (sql: Sql, { perMinute, most }: RelayBudget, nowMs: number) => {
  const minutes = sql`greatest(0, extract(epoch from
    ${new Date(nowMs)}::timestamptz - b.filled_at) / 60)::double precision`
  return {
    readings: sql`least(${most.readings}::double precision,
      b.readings + ${perMinute.readings}::double precision * ${minutes})`,
    bytes: sql`least(${most.bytes}::double precision,
      b.bytes + ${perMinute.bytes}::double precision * ${minutes})`,
  }
}

/**
 * Spends the cost of a message from its agent's budget, atomically for all control planes. Spends nothing if
 * the budget has less. An agent starts with a full budget.
 * @returns null if it was spent; otherwise the content of the budget
 */
export const spendRelayBudget = async (
  sql: Sql,
  agentId: string,
  { budget, cost, nowMs }: { budget: RelayBudget; cost: RelayAmount; nowMs: number },
): Promise<RelayAmount | null> => {
  const { most } = budget
  const now = filled(sql, budget, nowMs)
  const spent = await sql`
    insert into private_agent_budgets as b (agent_id, readings, bytes, filled_at)
    values (${agentId}, ${most.readings - cost.readings}, ${most.bytes - cost.bytes},
      ${new Date(nowMs)})
    on conflict (agent_id) do update set
      readings = ${now.readings} - ${cost.readings}::double precision,
      bytes = ${now.bytes} - ${cost.bytes}::double precision,
      filled_at = greatest(b.filled_at, excluded.filled_at)
    where ${now.readings} >= ${cost.readings}::double precision
      and ${now.bytes} >= ${cost.bytes}::double precision
    returning agent_id`
  if (spent.count > 0) return null
  const [left] = await sql<RelayAmount[]>`
    select ${now.readings} as readings, ${now.bytes} as bytes from private_agent_budgets as b
    where agent_id = ${agentId}`
  return left ?? most
}

/** Returns the cost of a message that was not accepted. */
const refundRelayBudget = async (
  sql: Sql,
  agentId: string,
  { readings, bytes }: RelayAmount,
): Promise<void> => {
  await sql`
    update private_agent_budgets set readings = readings + ${readings}, bytes = bytes + ${bytes}
    where agent_id = ${agentId}`
}
