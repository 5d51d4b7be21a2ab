import type { ErrorRuleEvent, SpikeTerms } from '../contracts/error-rule.ts'
import type { ErrorRuleRecord } from './error-rule.ts'
import { newBound, digestAtMs, type HourBound } from './hour-bound.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'

type RuleRow = {
  id: string
  account_id: string
  name: string
  enabled: boolean
  project_ids: string[] | null
  events: ErrorRuleEvent[]
  spike_of: SpikeTerms['of']
  spike_span_minutes: SpikeTerms['spanMinutes']
  spike_events_min: number
  spike_factor: number
  channel_ids: string[] | null
  email_users: boolean
  created_at: Date
}

const toRule = (row: RuleRow): ErrorRuleRecord => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  enabled: row.enabled,
  projectIds: row.project_ids,
  events: row.events,
  spike: {
    of: row.spike_of,
    spanMinutes: row.spike_span_minutes,
    eventsMin: row.spike_events_min,
    factor: row.spike_factor,
  },
  channelIds: row.channel_ids,
  emailUsers: row.email_users,
  createdAtMs: row.created_at.getTime(),
})

/** A rule keeps the ids of deleted projects and channels. They are left out here. */
const columns = (db: Connection) => db`
  rule.id, rule.account_id, rule.name, rule.enabled, rule.events, rule.spike_of,
  rule.spike_span_minutes, rule.spike_events_min, rule.spike_factor, rule.email_users,
  rule.created_at,
  case when project_ids is not null then
    array(select projects.id from error_projects as projects
      where projects.id = any(project_ids) order by 1) end as project_ids,
  case when channel_ids is not null then
    array(select channels.id from notification_channels as channels
      where channels.id = any(channel_ids) order by 1) end as channel_ids`

/** An account's error alert rules, oldest first, each with its hourly limit and the time of its digest. */
export const findErrorRules = async (
  db: Connection,
  accountId: string,
): Promise<{ rule: ErrorRuleRecord; bound: HourBound; digestAtMs: number | null }[]> => {
  const rows = await db<(RuleRow & { bound: HourBound; tell_at: Date | null })[]>`
    select ${columns(db)}, state.bound, state.tell_at
    from error_rules rule join error_rule_states state on state.rule_id = rule.id
    where rule.account_id = ${accountId} order by rule.created_at, rule.id`
  return rows.map((row) => ({
    rule: toRule(row),
    bound: row.bound,
    digestAtMs: row.tell_at?.getTime() ?? null,
  }))
}

/** Locks the rule until the transaction ends; null if missing or of another account. */
export const lockErrorRule = async (
  tx: Transaction,
  accountId: string,
  ruleId: string,
): Promise<ErrorRuleRecord | null> => {
  const [row] = await tx<RuleRow[]>`
    select ${columns(tx)} from error_rules rule
    where rule.id = ${ruleId} and rule.account_id = ${accountId} for update of rule`
  return row === undefined ? null : toRule(row)
}

/** Inserts a rule with an empty state. */
export const insertErrorRule = async (tx: Transaction, rule: ErrorRuleRecord): Promise<void> => {
  const createdAt = new Date(rule.createdAtMs)
  const { of, spanMinutes, eventsMin, factor } = rule.spike
  await tx`
    insert into error_rules (id, account_id, name, enabled, project_ids, events, spike_of,
      spike_span_minutes, spike_events_min, spike_factor, channel_ids, email_users, created_at,
      updated_at)
    values (${rule.id}, ${rule.accountId}, ${rule.name}, ${rule.enabled},
      ${arrayOf(rule.projectIds)}::uuid[], ${rule.events}::text[], ${of}, ${spanMinutes},
      ${eventsMin}, ${factor}, ${arrayOf(rule.channelIds)}::uuid[], ${rule.emailUsers},
      ${createdAt}, ${createdAt})`
  await tx`
    insert into error_rule_states (rule_id, account_id, bound)
    values (${rule.id}, ${rule.accountId}, ${tx.json(newBound)})`
}

export const updateErrorRule = async (
  tx: Transaction,
  rule: ErrorRuleRecord,
  nowMs: number,
): Promise<void> => {
  const { of, spanMinutes, eventsMin, factor } = rule.spike
  await tx`
    update error_rules set name = ${rule.name}, enabled = ${rule.enabled},
      project_ids = ${arrayOf(rule.projectIds)}::uuid[], events = ${rule.events}::text[],
      spike_of = ${of}, spike_span_minutes = ${spanMinutes}, spike_events_min = ${eventsMin},
      spike_factor = ${factor}, channel_ids = ${arrayOf(rule.channelIds)}::uuid[],
      email_users = ${rule.emailUsers}, updated_at = ${new Date(nowMs)}
    where id = ${rule.id}`
}

/** Deletes a rule with its waiting notices and its spikes. */
export const deleteErrorRule = async (tx: Transaction, ruleId: string): Promise<void> => {
  await tx`delete from error_rules where id = ${ruleId}`
}

/** The ids among these projects and channels that do not belong to the account. */
export const findUnknownIds = async (
  db: Connection,
  accountId: string,
  named: { projectIds: readonly string[]; channelIds: readonly string[] },
): Promise<Set<string>> => {
  const rows = await db<{ id: string }[]>`
    (select id from unnest(${[...named.projectIds]}::uuid[]) as named (id)
      except select id from error_projects where account_id = ${accountId})
    union all
    (select id from unnest(${[...named.channelIds]}::uuid[]) as named (id)
      except select id from notification_channels where account_id = ${accountId})`
  return new Set(rows.map((row) => row.id))
}

/** A rule with its state locked until the transaction ends. */
export type LockedErrorRule = { rule: ErrorRuleRecord; bound: HourBound }

/** All enabled rules of an account, always locked in the same order to avoid deadlocks. */
export const lockErrorRules = async (tx: Transaction, accountId: string): Promise<LockedErrorRule[]> => {
  const rows = await tx<(RuleRow & { bound: HourBound })[]>`
    select ${columns(tx)}, state.bound
    from error_rules rule join error_rule_states state on state.rule_id = rule.id
    where rule.account_id = ${accountId} and rule.enabled
    order by rule.id for update of state`
  return rows.map((row) => ({ rule: toRule(row), bound: row.bound }))
}

/** A rule with a due digest that no other control plane has locked; null if there is none. */
export const claimRuleWithDueDigest = async (
  tx: Transaction,
  nowMs: number,
): Promise<LockedErrorRule | null> => {
  const [row] = await tx<(RuleRow & { bound: HourBound })[]>`
    select ${columns(tx)}, state.bound
    from error_rules rule join error_rule_states state on state.rule_id = rule.id
    where state.tell_at <= ${new Date(nowMs)}
    order by state.tell_at limit 1 for update of state skip locked`
  return row === undefined ? null : { rule: toRule(row), bound: row.bound }
}

/** An expression: whether a step of `errorAlertSteps` has something to do. */
export const anyErrorsDue = (db: Connection, now: Date) => db`(
  exists (select from outbox where kind = 'error' and done_at is null and next_attempt_at <= ${now})
  or exists (select from error_rule_states where tell_at <= ${now}))`

/** A rule for spikes that is not checked up to here and that no other control plane has locked. */
export const claimSpikeRule = async (tx: Transaction, untilMs: number): Promise<LockedErrorRule | null> => {
  const [row] = await tx<(RuleRow & { bound: HourBound })[]>`
    select ${columns(tx)}, state.bound
    from error_rules rule join error_rule_states state on state.rule_id = rule.id
    where rule.enabled and 'spike' = any(rule.events)
      and (state.looked_at is null or state.looked_at < ${new Date(untilMs)})
    order by state.looked_at nulls first, rule.id limit 1 for update of state skip locked`
  return row === undefined ? null : { rule: toRule(row), bound: row.bound }
}

export const updateBound = async (tx: Transaction, ruleId: string, bound: HourBound): Promise<void> => {
  const tellAt = digestAtMs(bound)
  await tx`
    update error_rule_states set bound = ${tx.json(bound)},
      tell_at = ${tellAt === null ? null : new Date(tellAt)}
    where rule_id = ${ruleId}`
}

export const updateCheckedAt = async (db: Connection, ruleId: string, untilMs: number): Promise<void> => {
  await db`
    update error_rule_states set looked_at = ${new Date(untilMs)} where rule_id = ${ruleId}`
}

const arrayOf = (ids: readonly string[] | null): string[] | null => (ids === null ? null : [...ids])
