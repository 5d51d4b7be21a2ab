import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import type { Act } from './when-to-alert.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The open alerts of all rules on one check. */
export type OpenAlertRecord = {
  /** The flip that opened the oldest of them. */
  id: string
  checkId: string
  checkName: string
  status: CheckStatus
  reason: string | null
  sinceMs: number
  rules: { id: string; name: string }[]
  notified: boolean
  reminders: number
  escalation: (Omit<NonNullable<Alert['escalation']>, 'at'> & { atMs: number }) | null
  acknowledged: Act | null
  snoozedUntilMs: number | null
  resolved: Act | null
}

type Filter = {
  /** null: of all checks. */
  checkIds: readonly string[] | null
  /** Only alerts that one of these flips opened; null: all. */
  flipIds?: readonly string[] | null
  /** The end of the previous page. */
  after: { sinceMs: number; checkId: string } | null
  limit: number
}

/** Open alerts of an account by check, newest first, without paused checks and disabled rules. */
export const findOpenAlerts = async (
  tx: Transaction,
  accountId: string,
  { checkIds, flipIds = null, after, limit }: Filter,
): Promise<OpenAlertRecord[]> =>
  await tx<OpenAlertRecord[]>`
    with open as (
      select alerts.check_id, alert_rules.id as rule_id, alert_rules.name, state,
        (state ->> 'sinceMs')::float8 as since_ms
      from alerts join alert_rules on alert_rules.id = alerts.rule_id
      where alert_rules.account_id = ${accountId} and alerts.account_id = ${accountId} and alert_rules.enabled
        ${checkIds === null ? tx`` : tx`and alerts.check_id = any(${[...checkIds]}::uuid[])`}
    ),
    grouped as (
      select check_id, min(since_ms) as since_ms,
        (array_agg(state ->> 'flipId' order by since_ms, state ->> 'flipId'))[1] as id,
        jsonb_agg(jsonb_build_object('id', rule_id, 'name', name) order by name, rule_id) as rules,
        bool_or(state ->> 'phase' = 'alerted') as notified,
        max((state ->> 'reminders')::int) as reminders,
        (array_agg(state -> 'acknowledged' order by state #>> '{acknowledged,atMs}')
          filter (where state -> 'acknowledged' is not null))[1] as acknowledged,
        max((state ->> 'snoozedUntilMs')::float8) as "snoozedUntilMs",
        case when bool_and(state -> 'resolved' is not null) then
          (array_agg(state -> 'resolved'))[1] end as resolved
      from open group by check_id
      ${flipIds === null ? tx`` : tx`having bool_or(state ->> 'flipId' = any(${[...flipIds]}))`}
    )
    select grouped.id, check_id as "checkId", checks.name as "checkName", check_states.status,
      status_reason as reason, since_ms as "sinceMs", rules, notified and exists (
        select from alerted_checks where alerted_checks.check_id = grouped.check_id
          and alerted_checks.at >= to_timestamp(since_ms / 1000)) as notified, reminders, (
        select jsonb_build_object('policy', policy, 'level', level, 'round', round,
          'atMs', extract(epoch from at) * 1000)
        from alert_escalations as reached
        where reached.check_id = grouped.check_id and reached.at >= to_timestamp(since_ms / 1000)
        order by reached.at desc, round desc, level desc limit 1) as escalation, acknowledged, "snoozedUntilMs",
      resolved
    from grouped join checks on checks.id = check_id join check_states using (check_id)
    where not checks.paused
      and (${after === null}
        or (since_ms, check_id) < (${after?.sinceMs ?? 0}, ${after?.checkId ?? null}::uuid))
    order by since_ms desc, check_id desc limit ${limit}`

/** The checks of open alerts by the flips that opened them, in the order of locks, without other accounts. */
export const findChecksOfFlips = async (
  tx: Transaction,
  accountId: string,
  flipIds: readonly string[],
): Promise<{ checkId: string; flipId: string }[]> =>
  await tx<{ checkId: string; flipId: string }[]>`
    select distinct check_id as "checkId", state ->> 'flipId' as "flipId" from alerts
    where state ->> 'flipId' = any(${[...flipIds]}::text[]) and account_id = ${accountId}
    order by check_id, "flipId"`

/** Whether the account has a flip that may have opened an alert. */
export const hasFlip = async (tx: Transaction, accountId: string, flipId: string): Promise<boolean> => {
  const rows = await tx`
    select from flips join checks on checks.id = flips.check_id
    where flips.id = ${flipId} and checks.account_id = ${accountId}`
  return rows.length > 0
}

/** An act, as the outage shows it. */
export type ActRecord = {
  id: string
  accountId: string
  checkId: string
  kind: 'acknowledge' | 'snooze' | 'resolve'
  actor: string
  atMs: number
  untilMs: number | null
}

export const insertAct = async (tx: Transaction, act: ActRecord): Promise<void> => {
  const until = act.untilMs === null ? null : new Date(act.untilMs)
  await tx`
    insert into alert_acts (id, account_id, check_id, kind, actor, at, until)
    values (${act.id}, ${act.accountId}, ${act.checkId}, ${act.kind}, ${act.actor}, ${new Date(act.atMs)}, ${until})`
}

/**
 * Withdraws the reminders and escalations about a check that no receiver has got: those that wait for others, and single messages
 * whose delivery is not being attempted at this moment.
 * @returns how many
 */
export const withdrawReminders = async (tx: Transaction, checkId: string, nowMs: number): Promise<number> => {
  const withdrawn = await tx`
    with waiting as (
      delete from alert_messages where check_id = ${checkId} and message ->> 'event' in ('reminder', 'escalation')
      returning cause
    ),
    unsent as (
      delete from deliveries where id in (
        select deliveries.id from alerted_checks join deliveries using (cause)
        where check_id = ${checkId} and event in ('reminder', 'escalation') and deliveries.state = 'pending'
          and (claimed_until is null or claimed_until <= ${new Date(nowMs)})
        for update of deliveries skip locked)
        and state = 'pending'
      returning cause
    )
    delete from alerted_checks where cause in (select cause from waiting union all select cause from unsent)`
  return withdrawn.count
}

/** The name of a member as others know it; null: the account has no such member. */
export const findMemberName = async (
  tx: Transaction,
  accountId: string,
  userId: string,
): Promise<string | null> => {
  const [row] = await tx<{ name: string }[]>`
    select coalesce(name, email) as name from users where id = ${userId} and account_id = ${accountId}`
  return row?.name ?? null
}
