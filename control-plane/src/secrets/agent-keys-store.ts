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

/** A private agent that secrets may name. `hasKey`: secrets can be sealed for it. */
export type Reader = { id: string; name: string; hasKey: boolean }

/** The agents among these that the account has and that are not revoked, which they cannot be before the end. */
export const findReaders = async (
  tx: Transaction,
  accountId: string,
  ids: readonly string[],
): Promise<Reader[]> =>
  ids.length === 0
    ? []
    : await tx<Reader[]>`
        select id, name, exists (select from private_agent_keys where agent_id = agents.id) as "hasKey"
        from private_agents as agents
        where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and revoked_at is null
        order by id for share`

/** The names of the secrets that name an agent. */
export const secretsNaming = async (
  tx: Transaction,
  { id, accountId }: { id: string; accountId: string },
): Promise<string[]> => {
  const rows = await tx<{ name: string }[]>`
    select name from secrets where account_id = ${accountId} and agents @> ${[id]}::uuid[] order by lower(name)`
  return rows.map(({ name }) => name)
}

/** Takes an agent from all secrets. */
export const forgetReader = async (
  tx: Transaction,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> => {
  await tx`
    update secrets set agents = array_remove(agents, ${id}::uuid)
    where account_id = ${accountId} and agents @> ${[id]}::uuid[]`
}
