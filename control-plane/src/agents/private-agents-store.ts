import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { relayPace } from '@probe-mesh/contracts/agent/relay'
import type { CheckRecord } from '../records/check/check-record.ts'
import type { PrivateAgentRecord } from './private-agent.ts'
import { checkColumns, toCheckRecord, type CheckRow } from '../records/check/checks-store.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import { isSuspended } from '../accounts/accounts-store.ts'

const selectAgents = (db: Connection) => db`
    select id, account_id as "accountId", name, hint, ${epochMs(db, 'created_at')} as "createdAtMs",
      ${epochMs(db, 'rotated_at')} as "rotatedAtMs", ${epochMs(db, 'revoked_at')} as "revokedAtMs", version,
      ${epochMs(db, 'last_seen_at')} as "lastSeenAtMs", report, (
        select count(*)::integer from checks
        where checks.private and checks.regions[1] = 'private-' || private_agents.id
          and checks.account_id = private_agents.account_id
      ) as checks
    from private_agents`

/** The private agents of an account, oldest first, including revoked ones. */
export const findPrivateAgents = async (db: Connection, accountId: string): Promise<PrivateAgentRecord[]> =>
  await db<PrivateAgentRecord[]>`${selectAgents(db)}
    where account_id = ${accountId} order by created_at, id`

/** One private agent; null if missing or of another account. */
export const findPrivateAgent = async (
  db: Connection,
  accountId: string,
  agentId: string,
): Promise<PrivateAgentRecord | null> => {
  const [row] = await db<PrivateAgentRecord[]>`${selectAgents(db)}
    where id = ${agentId} and account_id = ${accountId}`
  return row ?? null
}

/** One private agent, locked until the transaction ends; null if missing or of another account. */
export const lockPrivateAgent = async (
  tx: Transaction,
  accountId: string,
  agentId: string,
): Promise<PrivateAgentRecord | null> => {
  const [row] = await tx<PrivateAgentRecord[]>`${selectAgents(tx)}
    where id = ${agentId} and account_id = ${accountId} for update`
  return row ?? null
}

/**
 * Whether the account has this agent and it is not revoked. It cannot be revoked before the transaction ends.
 */
export const isOpenPrivateAgent = async (
  tx: Transaction,
  accountId: string,
  agentId: string,
): Promise<boolean> => {
  const rows = await tx`
    select from private_agents
    where id = ${agentId} and account_id = ${accountId} and revoked_at is null for share`
  return rows.length === 1
}

export const countOpenPrivateAgents = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from private_agents
    where account_id = ${accountId} and revoked_at is null`
  return row?.count ?? 0
}

/** @param tokenHash SHA-256 of the token, which itself is never stored */
export const insertPrivateAgent = async (
  tx: Transaction,
  agent: PrivateAgentRecord,
  tokenHash: Uint8Array,
): Promise<void> => {
  await tx`
    insert into private_agents (id, account_id, name, token_hash, hint, created_at)
    values (${agent.id}, ${agent.accountId}, ${agent.name}, ${tokenHash}, ${agent.hint},
      ${new Date(agent.createdAtMs)})`
}

/** Replaces the token; the former one becomes invalid. */
export const updatePrivateAgentToken = async (
  tx: Transaction,
  agentId: string,
  { tokenHash, hint, rotatedAtMs }: { tokenHash: Uint8Array; hint: string; rotatedAtMs: number },
): Promise<void> => {
  await tx`
    update private_agents set token_hash = ${tokenHash}, hint = ${hint},
      rotated_at = ${new Date(rotatedAtMs)}
    where id = ${agentId}`
}

/** Revokes an agent; the time of the first revocation stays. */
export const updatePrivateAgentRevoked = async (
  tx: Transaction,
  agentId: string,
  revokedAtMs: number,
): Promise<void> => {
  await tx`
    update private_agents set revoked_at = coalesce(revoked_at, ${new Date(revokedAtMs)})
    where id = ${agentId}`
}

/** Notifies all control planes on commit to verify this agent's token again. */
export const notifyPrivateAgentChanged = async (tx: Transaction, agentId: string): Promise<void> => {
  await tx`select pg_notify('private_agents_changed', ${agentId})`
}

/** The agent with this token; null if the token is not valid. */
export const findAgentOfToken = async (
  db: Connection,
  tokenHash: Uint8Array,
): Promise<{ id: string; accountId: string; name: string; isSuspended: boolean } | null> => {
  const [row] = await db<{ id: string; accountId: string; name: string; isSuspended: boolean }[]>`
    select id, account_id as "accountId", name, ${isSuspended(db, 'account_id')} as "isSuspended"
    from private_agents
    where token_hash = ${tokenHash} and revoked_at is null`
  return row ?? null
}

/**
 * Opens a session: from now on, this process of the agent is the one that measures.
 * @returns false if another installation does, and is not silent
 */
export const openAgentSession = async (
  db: Connection,
  agentId: string,
  opened: { session: string; version: string; instance: string | null; nowMs: number },
): Promise<boolean> => {
  const { session, version, instance, nowMs } = opened
  const rows = await db`
    update private_agents
    set session = ${session}, version = ${version}, instance = ${instance}, last_seen_at = ${new Date(nowMs)}
    where id = ${agentId}
      and (${instance}::text is null or instance is null or instance = ${instance}
        or last_seen_at is null or last_seen_at < ${new Date(nowMs - relayPace.silentMs)})
    returning id`
  return rows.length === 1
}

/** @returns false if a later session took over */
export const recordAgentSeen = async (
  db: Connection,
  agentId: string,
  { session, report, nowMs }: { session: string; report: AgentReport | null; nowMs: number },
): Promise<boolean> => {
  const rows = await db`
    update private_agents
    set last_seen_at = ${new Date(nowMs)},
      report = ${report === null ? null : db.json(report)}
    where id = ${agentId} and session = ${session} returning id`
  return rows.length === 1
}

/** The checks that run on an agent. */
export const findChecksOfAgent = async (
  db: Connection,
  { id, accountId }: { id: string; accountId: string },
): Promise<CheckRecord[]> => {
  const rows = await db<CheckRow[]>`
    select ${checkColumns(db)} from checks
    where private and regions[1] = ${privateRegion(id)} and account_id = ${accountId}`
  return rows.map(toCheckRecord)
}

/** The ids of an agent's checks that use secrets, locked in their order. */
export const lockChecksWithSecrets = async (
  tx: Transaction,
  { id, accountId }: { id: string; accountId: string },
): Promise<string[]> => {
  const rows = await tx<{ id: string }[]>`
    select id from checks
    where private and regions[1] = ${privateRegion(id)} and account_id = ${accountId} and secret_names <> '{}'
    order by id for no key update`
  return rows.map((row) => row.id)
}

/** The intervals that a check ever had on an agent, each with its start. */
export type OwnPaces = { intervalSeconds: number; validFromMs: number }[]

/**
 * The checks among these that have run on an agent, with their intervals: readings of other checks are
 * rejected. All revisions count, because an agent that is cut off continues with the last one it received;
 * paused revisions have no slots.
 */
export const findOwnChecks = async (
  db: Connection,
  { id, accountId }: { id: string; accountId: string },
  checkIds: readonly string[],
): Promise<Map<string, OwnPaces>> => {
  const rows = await db<{ checkId: string; intervalSeconds: number; validFromMs: number | null }[]>`
    select checks.id as "checkId", r.interval_seconds as "intervalSeconds",
      ${epochMs(db, db`min(r.valid_from) filter (where not r.paused)`)} as "validFromMs"
    from checks join check_revisions r on r.check_id = checks.id
    where checks.id = any(${[...checkIds]}::uuid[]) and checks.account_id = ${accountId}
      and checks.private and r.regions @> array[${privateRegion(id)}::text]
    group by checks.id, r.interval_seconds`
  const paces = new Map<string, OwnPaces>()
  for (const { checkId, intervalSeconds, validFromMs } of rows) {
    const own = paces.get(checkId) ?? []
    if (validFromMs !== null) own.push({ intervalSeconds, validFromMs })
    paces.set(checkId, own)
  }
  return paces
}

/** The sessions and last reports of these agents, Unix ms; without revoked agents and suspended accounts. */
export const findAgentSessions = async (
  db: Connection,
  agentIds: readonly string[],
): Promise<Map<string, { session: string | null; lastSeenAtMs: number }>> => {
  const rows = await db<{ id: string; session: string | null; lastSeenAtMs: number }[]>`
    select id, session, coalesce(${epochMs(db, 'last_seen_at')}, 0) as "lastSeenAtMs" from private_agents
    where id = any(${[...agentIds]}::uuid[]) and revoked_at is null
      and not ${isSuspended(db, 'account_id')}`
  return new Map(rows.map(({ id, ...agent }) => [id, agent]))
}
