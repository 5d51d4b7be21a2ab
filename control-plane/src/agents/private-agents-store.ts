import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { privateRegion } from '@probe-mesh/contracts/reading/regions'
import { relayPace } from '@probe-mesh/contracts/agent/relay'
import type { CheckRecord } from '../check-record/check-record.ts'
import type { PrivateAgentRecord } from './private-agent.ts'
import { toCheckRecord } from '../check-record/checks-store.ts'
import type { CheckRow } from '../check-record/checks-store.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { isSuspended } from '../accounts/accounts-store.ts'

type AgentRow = {
  id: string
  account_id: string
  name: string
  hint: string
  created_at: Date
  rotated_at: Date | null
  revoked_at: Date | null
  version: string | null
  last_seen_at: Date | null
  report: AgentReport | null
  checks: number
}

const toAgent = (row: AgentRow): PrivateAgentRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  hint: row.hint,
  createdAtMs: row.created_at.getTime(),
  rotatedAtMs: row.rotated_at?.getTime() ?? null,
  revokedAtMs: row.revoked_at?.getTime() ?? null,
  version: row.version,
  lastSeenAtMs: row.last_seen_at?.getTime() ?? null,
  report: row.report,
  checks: row.checks,
})

/** The private agents of an account, revoked ones included, oldest first. */
export const findPrivateAgents = async (
  connection: Connection,
  accountId: string,
): Promise<PrivateAgentRecord[]> => {
  const rows = await connection<AgentRow[]>`
    select private_agents.*, (
      select count(*)::integer from checks
      where checks.private and checks.regions[1] = 'private-' || private_agents.id
        and checks.account_id = private_agents.account_id
    ) as checks
    from private_agents where account_id = ${accountId} order by created_at, id`
  return rows.map(toAgent)
}

/** One of them, locked until the transaction ends; another account's is null like a missing one. */
export const lockPrivateAgent = async (
  transaction: Transaction,
  accountId: string,
  agentId: string,
): Promise<PrivateAgentRecord | null> => {
  const [row] = await transaction<AgentRow[]>`
    select private_agents.*, (
      select count(*)::integer from checks
      where checks.private and checks.regions[1] = 'private-' || private_agents.id
        and checks.account_id = private_agents.account_id
    ) as checks
    from private_agents where id = ${agentId} and account_id = ${accountId} for update`
  return row === undefined ? null : toAgent(row)
}

/** Whether the account has this agent and lets it in. It is not revoked before the transaction ends. */
export const isOpenPrivateAgent = async (
  transaction: Transaction,
  accountId: string,
  agentId: string,
): Promise<boolean> => {
  const rows = await transaction`
    select from private_agents
    where id = ${agentId} and account_id = ${accountId} and revoked_at is null for share`
  return rows.length === 1
}

export const countOpenPrivateAgents = async (
  connection: Connection,
  accountId: string,
): Promise<number> => {
  const [row] = await connection<{ count: number }[]>`
    select count(*)::integer as count from private_agents
    where account_id = ${accountId} and revoked_at is null`
  return row?.count ?? 0
}

/** @param tokenHash sha-256 of the token; the token itself is never stored */
export const insertPrivateAgent = async (
  transaction: Transaction,
  agent: PrivateAgentRecord,
  tokenHash: Uint8Array,
): Promise<void> => {
  await transaction`
    insert into private_agents (id, account_id, name, token_hash, hint, created_at)
    values (${agent.id}, ${agent.accountId}, ${agent.name}, ${tokenHash}, ${agent.hint},
      ${new Date(agent.createdAtMs)})`
}

/** The former token is good for nothing from now on. */
export const updatePrivateAgentToken = async (
  transaction: Transaction,
  agentId: string,
  { tokenHash, hint, rotatedAtMs }: { tokenHash: Uint8Array; hint: string; rotatedAtMs: number },
): Promise<void> => {
  await transaction`
    update private_agents set token_hash = ${tokenHash}, hint = ${hint},
      rotated_at = ${new Date(rotatedAtMs)}
    where id = ${agentId}`
}

/** Revokes once: the first instant stays. */
export const updatePrivateAgentRevoked = async (
  transaction: Transaction,
  agentId: string,
  revokedAtMs: number,
): Promise<void> => {
  await transaction`
    update private_agents set revoked_at = coalesce(revoked_at, ${new Date(revokedAtMs)})
    where id = ${agentId}`
}

/** Tells every control plane, once the transaction is committed, to look at this agent's token again. */
export const notifyPrivateAgentChanged = async (
  transaction: Transaction,
  agentId: string,
): Promise<void> => {
  await transaction`select pg_notify('private_agents_changed', ${agentId})`
}

/** Whose a token is, while it is good. */
export const findAgentOfToken = async (
  connection: Connection,
  tokenHash: Uint8Array,
): Promise<{ id: string; accountId: string; name: string; isSuspended: boolean } | null> => {
  const [row] = await connection<
    { id: string; account_id: string; name: string; is_suspended: boolean }[]
  >`
    select id, account_id, name, ${isSuspended(connection, 'account_id')} as is_suspended
    from private_agents
    where token_hash = ${tokenHash} and revoked_at is null`
  return row === undefined
    ? null
    : { id: row.id, accountId: row.account_id, name: row.name, isSuspended: row.is_suspended }
}

/**
 * From now on this life of the agent is the one that measures.
 * @returns false where another installation does, which is not silent
 */
export const openAgentSession = async (
  connection: Connection,
  agentId: string,
  opened: { session: string; version: string; instance: string | null; nowMs: number },
): Promise<boolean> => {
  const { session, version, instance, nowMs } = opened
  const rows = await connection`
    update private_agents
    set session = ${session}, version = ${version}, instance = ${instance}, last_seen_at = ${new Date(nowMs)}
    where id = ${agentId}
      and (${instance}::text is null or instance is null or instance = ${instance}
        or last_seen_at is null or last_seen_at < ${new Date(nowMs - relayPace.silentMs)})
    returning id`
  return rows.length === 1
}

/** @returns whether this life still is the one that measures; false: a later one took over */
export const recordAgentSeen = async (
  connection: Connection,
  agentId: string,
  { session, report, nowMs }: { session: string; report: AgentReport | null; nowMs: number },
): Promise<boolean> => {
  const rows = await connection`
    update private_agents
    set last_seen_at = ${new Date(nowMs)},
      report = ${report === null ? null : connection.json(report)}
    where id = ${agentId} and session = ${session} returning id`
  return rows.length === 1
}

/** The checks that run from an agent, as they are now. */
export const findChecksOfAgent = async (
  connection: Connection,
  { id, accountId }: { id: string; accountId: string },
): Promise<CheckRecord[]> => {
  const rows = await connection<CheckRow[]>`
    select * from checks
    where private and regions[1] = ${privateRegion(id)} and account_id = ${accountId}`
  return rows.map(toCheckRecord)
}

/** How often a check has run from an agent, and since when: at every interval it ever had there. */
export type OwnPaces = { intervalSeconds: number; validFromMs: number }[]

/**
 * Which of these checks have run from an agent, and how often: what it says of any other is not taken. All
 * revisions count, since an agent that is cut off goes on with the one it heard of last; paused ones have no slots.
 */
export const findOwnChecks = async (
  connection: Connection,
  { id, accountId }: { id: string; accountId: string },
  checkIds: readonly string[],
): Promise<Map<string, OwnPaces>> => {
  const rows = await connection<
    { id: string; interval_seconds: number; valid_from: Date | null }[]
  >`
    select checks.id, r.interval_seconds, min(r.valid_from) filter (where not r.paused) as valid_from
    from checks join check_revisions r on r.check_id = checks.id
    where checks.id = any(${[...checkIds]}::uuid[]) and checks.account_id = ${accountId}
      and checks.private and r.regions @> array[${privateRegion(id)}::text]
    group by checks.id, r.interval_seconds`
  const paces = new Map<string, OwnPaces>()
  for (const { id: checkId, interval_seconds: intervalSeconds, valid_from: from } of rows) {
    const own = paces.get(checkId) ?? []
    if (from !== null) own.push({ intervalSeconds, validFromMs: from.getTime() })
    paces.set(checkId, own)
  }
  return paces
}

/** The sessions of these agents and when they were heard of last, Unix ms; revoked ones and those of suspended accounts are absent. */
export const findAgentSessions = async (
  connection: Connection,
  agentIds: readonly string[],
): Promise<Map<string, { session: string | null; lastSeenAtMs: number }>> => {
  const rows = await connection<
    { id: string; session: string | null; last_seen_at: Date | null }[]
  >`
    select id, session, last_seen_at from private_agents
    where id = any(${[...agentIds]}::uuid[]) and revoked_at is null
      and not ${isSuspended(connection, 'account_id')}`
  return new Map(
    rows.map(({ id, session, last_seen_at: seen }) => [
      id,
      { session, lastSeenAtMs: seen?.getTime() ?? 0 },
    ]),
  )
}
