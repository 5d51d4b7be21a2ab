import type { ExpiryAlert, ExpiryKind } from './expiry.ts'
import type { Connection, Sql, Transaction } from '../../stores/postgres/connect.ts'

/** Any constant, the same in every control plane. */
const expiryLock = 727_052

/**
 * Accounts in which a rule may have something to notify: something expires within the days of a rule, or was
 * notified and may be renewed. In order of id, after `after`.
 */
export const findExpiryAccounts = async (
  sql: Sql,
  { nowMs, after, limit }: { nowMs: number; after: string; limit: number },
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await sql<{ account_id: string }[]>`
    with most as (
      select max(days) filter (where kind = 'certificate') as certificate,
        max(days) filter (where kind = 'domain') as domain
      from (
        select 'certificate' as kind, unnest(certificate_days) as days from alert_rules where enabled
        union all select 'domain', unnest(domain_days) from alert_rules where enabled
      ) as named
    )
    select account_id from (
      select checks.account_id from most
        join check_certificates as seen on seen.expires_at <= ${now}::timestamptz + make_interval(days => most.certificate)
        join checks on checks.id = seen.check_id
      union
      select checks.account_id from most
        join check_domains as of_check on of_check.expires_at <= ${now}::timestamptz + make_interval(days => most.domain)
        join checks on checks.id = of_check.check_id
      union
      select account_id from expiry_alerts
    ) as due
    where account_id > ${after} and exists (
      select from alert_rules as rules where rules.account_id = due.account_id and rules.enabled)
    order by account_id limit ${limit}`
  return rows.map((row) => row.account_id)
}

/** Whether this transaction has the account for itself until it ends. */
export const lockExpiries = async (tx: Transaction, accountId: string): Promise<boolean> => {
  const [row] = await tx<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(${expiryLock}, hashtext(${accountId})) as locked`
  return row?.locked ?? false
}

/** Checks of the account with something that expires within these days, or that was notified before. */
export const findExpiringChecks = async (
  tx: Transaction,
  accountId: string,
  { nowMs, days }: { nowMs: number; days: Record<ExpiryKind, number> },
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await tx<{ id: string }[]>`
    select checks.id from checks join check_certificates as seen on seen.check_id = checks.id
    where account_id = ${accountId}
      and seen.expires_at <= ${now}::timestamptz + make_interval(days => ${days.certificate})
    union
    select checks.id from checks join check_domains as of_check on of_check.check_id = checks.id
    where account_id = ${accountId}
      and of_check.expires_at <= ${now}::timestamptz + make_interval(days => ${days.domain})
    union
    select check_id from expiry_alerts where account_id = ${accountId}`
  return rows.map((row) => row.id)
}

type ExpiryAlertRecord = {
  ruleId: string
  checkId: string
  kind: ExpiryKind
  state: ExpiryAlert
}

/** The notifications that the rules of an account have sent. */
export const findExpiryAlerts = async (db: Connection, accountId: string): Promise<ExpiryAlertRecord[]> => {
  const rows = await db<
    { rule_id: string; check_id: string; kind: ExpiryKind; state: ExpiryAlert }[]
  >`select rule_id, check_id, kind, state from expiry_alerts where account_id = ${accountId}`
  return rows.map(({ rule_id, check_id, kind, state }) => ({
    ruleId: rule_id,
    checkId: check_id,
    kind,
    state,
  }))
}

/** A notification to store; null: to delete. */
export type ExpiryAlertWrite = Omit<ExpiryAlertRecord, 'state'> & { state: ExpiryAlert | null }

export const writeExpiryAlerts = async (
  tx: Transaction,
  accountId: string,
  writes: readonly ExpiryAlertWrite[],
): Promise<void> => {
  if (writes.length === 0) return
  const rows = writes.map(({ ruleId, checkId, kind, state }) => ({
    rule_id: ruleId,
    check_id: checkId,
    kind,
    state,
  }))
  await tx`
    with new as (
      select * from jsonb_to_recordset(${tx.json(rows)})
        as new (rule_id uuid, check_id uuid, kind text, state jsonb)
    ),
    gone as (
      delete from expiry_alerts as old using new
      where new.state is null and old.rule_id = new.rule_id and old.check_id = new.check_id and old.kind = new.kind
    )
    insert into expiry_alerts (rule_id, check_id, kind, account_id, state)
    select rule_id, check_id, kind, ${accountId}, state from new where state is not null
    on conflict (rule_id, check_id, kind) do update set state = excluded.state`
}
