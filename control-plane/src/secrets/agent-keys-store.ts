import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** A key is sealed for its agent and opens for no other. */
export const agentKeyOwner = (agentId: string): readonly string[] => ['private agent key', agentId]

/** Stores the sealed key of a private agent, which follows its token. */
export const storeAgentKey = async (
  tx: Transaction,
  agent: { id: string; accountId: string },
  key: Uint8Array,
): Promise<void> => {
  await tx`
    insert into private_agent_keys (agent_id, account_id, key) values (${agent.id}, ${agent.accountId}, ${key})
    on conflict (agent_id) do update set key = excluded.key`
}

/** The sealed keys of private agents. An agent that was enrolled by an older version has none. */
export const findAgentKeys = async (
  db: Connection,
  agentIds: readonly string[],
): Promise<Map<string, Uint8Array>> => {
  if (agentIds.length === 0) return new Map()
  const rows = await db<{ agentId: string; key: Uint8Array }[]>`
    select agent_id as "agentId", key from private_agent_keys where agent_id = any(${[...agentIds]}::uuid[])`
  return new Map(rows.map(({ agentId, key }) => [agentId, key]))
}
