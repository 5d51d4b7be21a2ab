import type { BurnWindow, ObjectiveInput } from '@probe-mesh/contracts/objective/objective'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { hasTag } from '../records/check/has-tag.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** An objective as it is stored. */
export type ObjectiveRecord = ObjectiveInput & { id: string; accountId: string }

/** A pair of windows, by its longer one, of which receivers know that it burns. */
export type BurnAlert = {
  long: BurnWindow
  sinceMs: number
  /** Who was told that it began; null: not known. */
  receivers: string[] | null
}

/** With the name of its check, the ids of the checks that count now, and its open alerts. */
export type FoundObjective = ObjectiveRecord & {
  checkName: string | null
  checkIds: string[]
  /** Whether any of the checks is not paused. */
  isRunning: boolean
  alerts: BurnAlert[]
}

const columns = (db: Connection) => db`
  objectives.id, objectives.account_id as "accountId", objectives.name, target, window_days as "windowDays",
  check_id as "checkId", tag, latency_ms_max as "latencyMsMax", alert_rule_id as "alertRuleId"`

/** The objectives of an account, by name. */
export const findObjectives = async (tx: Transaction, accountId: string): Promise<FoundObjective[]> =>
  await tx<FoundObjective[]>`
    select ${columns(tx)},
      (select name from checks where checks.id = check_id) as "checkName",
      counted.ids as "checkIds", counted.running as "isRunning",
      coalesce((select jsonb_agg(jsonb_build_object('long', pair, 'sinceMs', ${epochMs(tx, 'since')},
          'receivers', receivers) order by since)
        from burn_alerts where objective_id = objectives.id), '[]') as alerts
    from objectives cross join lateral (
      select coalesce(array_agg(checks.id order by checks.id), '{}') as ids,
        coalesce(bool_or(not paused), false) as running
      from checks where checks.account_id = ${accountId}
        and (checks.id = check_id or ${hasTag(tx, tx`objectives.tag`)})) as counted
    where account_id = ${accountId} order by objectives.name, objectives.id`

/** Some checks of an account that have a tag, by id. */
export const findTagged = async (
  tx: Transaction,
  accountId: string,
  tag: string,
  limit: number,
): Promise<string[]> => {
  const rows = await tx<{ id: string }[]>`
    select id from checks where account_id = ${accountId} and ${hasTag(tx, tag)} order by id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Excludes the deletion of objectives until the transaction ends. */
export const lockObjectivesShared = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx`select from objectives where account_id = ${accountId} order by id for key share`
}

export const countObjectives = async (tx: Transaction, accountId: string): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from objectives where account_id = ${accountId}`
  return row?.count ?? 0
}

/** Another account's is null like a missing one. */
export const lockObjective = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<ObjectiveRecord | null> => {
  const [row] = await tx<ObjectiveRecord[]>`
    select ${columns(tx)} from objectives where id = ${id} and account_id = ${accountId} for update`
  return row ?? null
}

export const writeObjective = async (
  tx: Transaction,
  { id, accountId, name, target, windowDays, checkId, tag, latencyMsMax, alertRuleId }: ObjectiveRecord,
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into objectives (id, account_id, name, target, window_days, check_id, tag, latency_ms_max, alert_rule_id, created_at)
    values (${id}, ${accountId}, ${name}, ${target}, ${windowDays}, ${checkId}, ${tag}, ${latencyMsMax}, ${alertRuleId},
      ${new Date(nowMs)})
    on conflict (id) do update set name = excluded.name, target = excluded.target,
      window_days = excluded.window_days, check_id = excluded.check_id, tag = excluded.tag, latency_ms_max = excluded.latency_ms_max,
      alert_rule_id = excluded.alert_rule_id`
}

export const deleteObjective = async (tx: Transaction, id: string): Promise<void> => {
  await tx`delete from objectives where id = ${id}`
}
