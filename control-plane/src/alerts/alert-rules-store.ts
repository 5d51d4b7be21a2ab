import type { AlertRuleRecord } from './alert-rule.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A rule keeps the ids of deleted checks, channels and members; they are filtered out here. */
const columns = (db: Connection) => db`
  ${ruleColumns(db)}, case when check_ids is not null then
    array(select checks.id from checks where checks.id = any(check_ids) order by 1) end as "checkIds",
  case when channel_ids is not null then
    array(select channels.id from notification_channels as channels
      where channels.id = any(channel_ids) order by 1) end as "channelIds",
  array(select users.id from users where users.id = any(user_ids) order by 1) as "userIds",
  (select channels.id from notification_channels as channels
    where channels.id = fallback_channel_id) as "fallbackChannelId"`

const ruleColumns = (db: Connection) => db`
  id, account_id as "accountId", name, enabled, statuses, unconfirmed,
  certificate_days as "certificateDays", domain_days as "domainDays", after_seconds as "afterSeconds",
  email_users as "emailUsers", addresses, escalation_id as "escalationId", ${epochMs(db, 'created_at')} as "createdAtMs"`

/** An account's rules, oldest first. */
export const findAlertRules = async (db: Connection, accountId: string): Promise<AlertRuleRecord[]> => {
  return await db<AlertRuleRecord[]>`
    select ${columns(db)} from alert_rules where account_id = ${accountId}
    order by created_at, id`
}

/** The rule, locked until the transaction ends. Another account's is null like a missing one. */
export const lockAlertRule = async (
  tx: Transaction,
  accountId: string,
  ruleId: string,
): Promise<AlertRuleRecord | null> => {
  const [row] = await tx<AlertRuleRecord[]>`
    select ${columns(tx)} from alert_rules
    where id = ${ruleId} and account_id = ${accountId} for update`
  return row ?? null
}

/** All rules of these accounts, locked against deletion until the transaction ends. */
export const lockAlertRulesShared = async (
  tx: Transaction,
  accountIds: readonly string[],
): Promise<AlertRuleRecord[]> => {
  return await tx<AlertRuleRecord[]>`
    select ${ruleColumns(tx)}, check_ids as "checkIds", channel_ids as "channelIds",
      user_ids as "userIds", fallback_channel_id as "fallbackChannelId"
    from alert_rules where account_id = any(${[...accountIds]}::uuid[])
    order by id for key share`
}

export const insertAlertRule = async (db: Connection, rule: AlertRuleRecord): Promise<void> => {
  const createdAt = new Date(rule.createdAtMs)
  await db`
    insert into alert_rules (id, account_id, name, enabled, check_ids, statuses, unconfirmed,
      certificate_days, domain_days, after_seconds, channel_ids, fallback_channel_id, email_users, user_ids,
      addresses, escalation_id, created_at, updated_at)
    values (${rule.id}, ${rule.accountId}, ${rule.name}, ${rule.enabled},
      ${arrayOf(rule.checkIds)}::uuid[], ${rule.statuses}::text[], ${rule.unconfirmed},
      ${rule.certificateDays}::integer[], ${rule.domainDays}::integer[], ${rule.afterSeconds}, ${arrayOf(rule.channelIds)}::uuid[],
      ${rule.fallbackChannelId}, ${rule.emailUsers}, ${rule.userIds}::uuid[], ${rule.addresses}::text[], ${rule.escalationId},
      ${createdAt}, ${createdAt})`
}

export const updateAlertRule = async (
  tx: Transaction,
  rule: AlertRuleRecord,
  nowMs: number,
): Promise<void> => {
  await tx`
    update alert_rules set name = ${rule.name}, enabled = ${rule.enabled},
      check_ids = ${arrayOf(rule.checkIds)}::uuid[], statuses = ${rule.statuses}::text[],
      unconfirmed = ${rule.unconfirmed}, certificate_days = ${rule.certificateDays}::integer[],
      domain_days = ${rule.domainDays}::integer[], after_seconds = ${rule.afterSeconds}, channel_ids = ${arrayOf(rule.channelIds)}::uuid[],
      fallback_channel_id = ${rule.fallbackChannelId}, email_users = ${rule.emailUsers}, user_ids = ${rule.userIds}::uuid[],
      addresses = ${rule.addresses}::text[], escalation_id = ${rule.escalationId}, updated_at = ${new Date(nowMs)}
    where id = ${rule.id}`
}

/** Deletes a rule with its open alerts. */
export const deleteAlertRule = async (tx: Transaction, ruleId: string): Promise<void> => {
  await tx`delete from alert_rules where id = ${ruleId}`
}

/** The ids among these that are not checks, channels or members of the account. */
export const findUnknownIds = async (
  db: Connection,
  accountId: string,
  named: { checkIds: readonly string[]; channelIds: readonly string[]; userIds: readonly string[] },
): Promise<Set<string>> => {
  const rows = await db<{ id: string }[]>`
    (select id from unnest(${[...named.checkIds]}::uuid[]) as named (id)
      except select id from checks where account_id = ${accountId})
    union all
    (select id from unnest(${[...named.channelIds]}::uuid[]) as named (id)
      except select id from notification_channels where account_id = ${accountId})
    union all
    (select id from unnest(${[...named.userIds]}::uuid[]) as named (id)
      except select id from users where account_id = ${accountId})`
  return new Set(rows.map((row) => row.id))
}

const arrayOf = (ids: readonly string[] | null): string[] | null => (ids === null ? null : [...ids])
