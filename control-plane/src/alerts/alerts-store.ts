import type { Alert } from './when-to-alert.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The open alert of a rule on a check, as it is stored. */
export type AlertRecord = { ruleId: string; checkId: string; accountId: string; state: Alert }

const alertColumns = (tx: Transaction) =>
  tx`rule_id as "ruleId", check_id as "checkId", account_id as "accountId", state`

/** The open alerts of these checks, locked until the transaction ends. */
export const lockAlertsOfChecks = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<AlertRecord[]> =>
  await tx<AlertRecord[]>`
    select ${alertColumns(tx)} from alerts
    where check_id = any(${[...checkIds]}::uuid[])
    order by check_id, rule_id for update`

/** The open alerts of these checks. Locks nothing. */
export const findAlertsOfChecks = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<AlertRecord[]> =>
  await tx<AlertRecord[]>`
    select ${alertColumns(tx)} from alerts where check_id = any(${[...checkIds]}::uuid[])`

/** Checks with a due alert, longest waiting first. Locks nothing. */
export const findDueChecks = async (tx: Transaction, nowMs: number, limit: number): Promise<string[]> => {
  const rows = await tx<{ check_id: string }[]>`
    select check_id from alerts where next_at <= ${new Date(nowMs)}
    order by next_at limit ${limit}`
  return [...new Set(rows.map((row) => row.check_id))]
}

/** The due alerts of these checks that no other process holds, locked until the transaction ends. */
export const claimDueAlerts = async (
  tx: Transaction,
  checkIds: readonly string[],
  nowMs: number,
): Promise<AlertRecord[]> =>
  await tx<AlertRecord[]>`
    select ${alertColumns(tx)} from alerts
    where check_id = any(${[...checkIds]}::uuid[]) and next_at <= ${new Date(nowMs)}
    order by check_id, rule_id for update skip locked`

/** Writes alerts with the time when they are due next; a null state closes the alert. */
export const writeAlerts = async (
  tx: Transaction,
  writes: readonly (Omit<AlertRecord, 'state'> & { state: Alert | null; nextAtMs: number })[],
): Promise<void> => {
  if (writes.length === 0) return
  const rows = writes.map(({ ruleId, checkId, accountId, state, nextAtMs }) => ({
    rule_id: ruleId,
    check_id: checkId,
    account_id: accountId,
    state,
    next_at: new Date(nextAtMs),
  }))
  await tx`
    with new as materialized (
      select * from jsonb_to_recordset(${tx.json(rows as never)}) as new (rule_id uuid,
        check_id uuid, account_id uuid, state jsonb, next_at timestamptz)
    ),
    closed as (
      delete from alerts using new
      where alerts.rule_id = new.rule_id and alerts.check_id = new.check_id and new.state is null
    )
    insert into alerts (rule_id, check_id, account_id, state, next_at)
    select rule_id, check_id, account_id, state, next_at from new where state is not null
    on conflict (rule_id, check_id) do update set state = excluded.state,
      next_at = excluded.next_at`
}
