import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Reading, ReadingKind } from '@probe-mesh/contracts/reading/reading'
import { privateRegion } from '@probe-mesh/contracts/reading/regions'
import type { RelayAmount, RelayBudget } from '@probe-mesh/contracts/agent/relay-budget'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'

/** Runs a minute of the checks that an agent measures, by type; paused ones may have readings to send. */
export const findAgentPace = async (
  connection: Connection,
  { id, accountId }: { id: string; accountId: string },
): Promise<{ type: CheckType; runsPerMinute: number }[]> => {
  const rows = await connection<{ type: CheckType; runs: number }[]>`
    select type, sum(60.0 / interval_seconds)::double precision as runs from checks
    where private and regions[1] = ${privateRegion(id)} and account_id = ${accountId}
    group by type`
  return rows.map(({ type, runs }) => ({ type, runsPerMinute: runs }))
}

/** What an agent's budget holds by now. */
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
 * Takes what a message costs from its agent's budget, at once and for all control planes; nothing where it
 * holds less. An agent begins with a full one.
 * @returns null where it was taken, else what it holds
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

/** Gives back what a message that was not taken has cost. */
export const refundRelayBudget = async (
  sql: Sql,
  agentId: string,
  { readings, bytes }: RelayAmount,
): Promise<void> => {
  await sql`
    update private_agent_budgets set readings = readings + ${readings}, bytes = bytes + ${bytes}
    where agent_id = ${agentId}`
}

/** By which a reading names the run it is of. */
export type RunIdentity = Pick<Reading, 'checkId' | 'slot' | 'number'> & {
  kind: Exclude<ReadingKind, 'scheduled'>
}

/** Notes a run that is asked of an agent, before the agent hears of it. */
export const insertAgentRun = async (
  sql: Sql,
  agentId: string,
  { checkId, kind, slot, number }: RunIdentity,
  nowMs: number,
): Promise<void> => {
  await sql`
    insert into private_agent_runs (agent_id, check_id, kind, at_ms, number, asked_at)
    values (${agentId}, ${checkId}, ${kind}, ${slot}, ${number}, ${new Date(nowMs)})
    on conflict do nothing`
}

/** Which of these runs were asked of an agent, by their places. */
export const findAgentRuns = async (
  sql: Sql,
  agentId: string,
  runs: readonly RunIdentity[],
): Promise<Set<number>> => {
  if (runs.length === 0) return new Set()
  const asked = runs.map(({ checkId, kind, slot, number }, place) => ({
    place,
    check_id: checkId,
    kind,
    at_ms: slot,
    number,
  }))
  const rows = await sql<{ place: number }[]>`
    select asked.place from jsonb_to_recordset(${sql.json(asked)}) as asked (place integer,
      check_id uuid, kind text, at_ms bigint, number bigint)
    join private_agent_runs r on r.agent_id = ${agentId} and r.check_id = asked.check_id
      and r.kind = asked.kind and r.at_ms = asked.at_ms and r.number = asked.number`
  return new Set(rows.map(({ place }) => place))
}

/** Forgets runs whose readings would be too old, and of each agent all but the newest. @returns how many */
export const pruneAgentRuns = async (
  sql: Sql,
  { beforeMs, perAgentMax }: { beforeMs: number; perAgentMax: number },
): Promise<number> => {
  const old = await sql`delete from private_agent_runs where asked_at < ${new Date(beforeMs)}`
  const many = await sql`
    delete from private_agent_runs r using (
      select ctid, row_number() over (partition by agent_id order by asked_at desc) as place
      from private_agent_runs
    ) ranked
    where r.ctid = ranked.ctid and ranked.place > ${perAgentMax}`
  return old.count + many.count
}
