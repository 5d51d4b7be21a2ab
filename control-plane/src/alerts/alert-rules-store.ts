import type { AlertStatus } from '@probe-mesh/contracts/alert/alert-rule'
import type { AlertRuleRecord } from './alert-rule.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

type RuleRow = {
  id: string
  account_id: string
  name: string
  enabled: boolean
  check_ids: string[] | null
  statuses: AlertStatus[]
  unconfirmed: boolean
  certificate_days: number[]
  domain_days: number[]
  after_seconds: number
  channel_ids: string[] | null
  email_users: boolean
  created_at: Date
}

const toRule = (row: RuleRow): AlertRuleRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  enabled: row.enabled,
  checkIds: row.check_ids,
  statuses: row.statuses,
  unconfirmed: row.unconfirmed,
  certificateDays: row.certificate_days,
  domainDays: row.domain_days,
  afterSeconds: row.after_seconds,
  channelIds: row.channel_ids,
  emailUsers: row.email_users,
  createdAtMs: row.created_at.getTime(),
})

/** A rule keeps the ids of deleted checks and channels; they are filtered out here. */
const columns = (db: Connection) => db`
  id, account_id, name, enabled, statuses, unconfirmed, certificate_days, domain_days, after_seconds, email_users, created_at,
  case when check_ids is not null then
    array(select checks.id from checks where checks.id = any(check_ids) order by 1) end as check_ids,
  case when channel_ids is not null then
    array(select channels.id from notification_channels as channels
      where channels.id = any(channel_ids) order by 1) end as channel_ids`

/** An account's rules, oldest first. */
export const findAlertRules = async (
  db: Connection,
  accountId: string,
): Promise<AlertRuleRecord[]> => {
  const rows = await db<RuleRow[]>`
    select ${columns(db)} from alert_rules where account_id = ${accountId}
    order by created_at, id`
  return rows.map(toRule)
}

/** The rule, locked until the transaction ends. Another account's is null like a missing one. */
export const lockAlertRule = async (
  tx: Transaction,
  accountId: string,
  ruleId: string,
): Promise<AlertRuleRecord | null> => {
  const [row] = await tx<RuleRow[]>`
    select ${columns(tx)} from alert_rules
    where id = ${ruleId} and account_id = ${accountId} for update`
  return row === undefined ? null : toRule(row)
}

/** All rules of these accounts, locked against deletion until the transaction ends. */
export const lockAlertRulesShared = async (
  tx: Transaction,
  accountIds: readonly string[],
): Promise<AlertRuleRecord[]> => {
  const rows = await tx<RuleRow[]>`
    select id, account_id, name, enabled, check_ids, statuses, unconfirmed, certificate_days,
      domain_days, after_seconds,
      channel_ids, email_users, created_at
    from alert_rules where account_id = any(${[...accountIds]}::uuid[])
    order by id for key share`
  return rows.map(toRule)
}

export const insertAlertRule = async (db: Connection, rule: AlertRuleRecord): Promise<void> => {
  const createdAt = new Date(rule.createdAtMs)
  await db`
    insert into alert_rules (id, account_id, name, enabled, check_ids, statuses, unconfirmed,
      certificate_days, domain_days, after_seconds, channel_ids, email_users, created_at, updated_at)
    values (${rule.id}, ${rule.accountId}, ${rule.name}, ${rule.enabled},
      ${arrayOf(rule.checkIds)}::uuid[], ${rule.statuses}::text[], ${rule.unconfirmed},
      ${rule.certificateDays}::integer[], ${rule.domainDays}::integer[], ${rule.afterSeconds}, ${arrayOf(rule.channelIds)}::uuid[], ${rule.emailUsers}, ${createdAt}, ${createdAt})`
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
      email_users = ${rule.emailUsers}, updated_at = ${new Date(nowMs)}
    where id = ${rule.id}`
}

/** Deletes a rule with its open alerts. */
export const deleteAlertRule = async (tx: Transaction, ruleId: string): Promise<void> => {
  await tx`delete from alert_rules where id = ${ruleId}`
}

/** The ids among these that are not checks or channels of the account. */
export const findUnknownIds = async (
  db: Connection,
  accountId: string,
  named: { checkIds: readonly string[]; channelIds: readonly string[] },
): Promise<Set<string>> => {
  const rows = await db<{ id: string }[]>`
    (select id from unnest(${[...named.checkIds]}::uuid[]) as named (id)
      except select id from checks where account_id = ${accountId})
    union all
    (select id from unnest(${[...named.channelIds]}::uuid[]) as named (id)
      except select id from notification_channels where account_id = ${accountId})`
  return new Set(rows.map((row) => row.id))
}

const arrayOf = (ids: readonly string[] | null): string[] | null => (ids === null ? null : [...ids])
