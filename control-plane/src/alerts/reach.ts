import type { CheckReceivers, NotReached } from '@probe-mesh/contracts/alert/check-receivers'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AccountContext, AccountRules, Caller } from '../accounts/operations/context.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { appliesTo, type AlertRuleRecord } from './alert-rule.ts'
import { findAlertRules } from './alert-rules-store.ts'
import { findPolicies, type PolicyRecord } from '../on-call/policies-store.ts'
import { findSchedules } from '../on-call/schedules-store.ts'
import { receiversOf, type NamedReceiver } from './receivers.ts'

/** A receiver that rules may choose, also one that gets no messages yet. */
type PossibleReceiver = NamedReceiver & {
  name: string
  /** A tested channel, a member, or a confirmed address. */
  isReady: boolean
}

/** Everyone whom rules of the account may choose. The address of a member is the member. */
const findPossibleReceivers = async (db: Connection, accountId: string): Promise<PossibleReceiver[]> =>
  await db<PossibleReceiver[]>`
    select id, account_id as "accountId", 'channel' as kind, false as "isMember", null as email, name,
      verified_at is not null as "isReady", failing_since is not null as "isFailing"
    from notification_channels where account_id = ${accountId}
    union all
    select id, account_id, 'mail', true, lower(email), coalesce(name, email), true, false
    from users where account_id = ${accountId}
    union all
    select id, account_id, 'mail', false, lower(email), email, confirmed_at is not null, false
    from alert_addresses where account_id = ${accountId} and not exists (
      select from users where users.account_id = ${accountId}
        and lower(users.email) = lower(alert_addresses.email))
    order by kind, name, id`

/** Why a receiver gets no message now; null: it gets them. */
const notReached = (
  { kind, isReady, isFailing }: Pick<PossibleReceiver, 'kind' | 'isReady' | 'isFailing'>,
  sendsMail: boolean,
): NotReached | null => {
  if (kind === 'channel') return !isReady ? 'untested' : isFailing ? 'failing' : null
  if (!sendsMail) return 'no_mail'
  return isReady ? null : 'unconfirmed'
}

/** Members and channels that the policies of an account may notify, by policy. */
const findPolicyTargets = async (
  db: Connection,
  accountId: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const [policies, schedules] = [await findPolicies(db, [accountId]), await findSchedules(db, [accountId])]
  const membersOf = (scheduleId: string): string[] =>
    schedules
      .filter(({ id }) => id === scheduleId)
      .flatMap(({ layers, overrides }) => [
        ...layers.flatMap(({ userIds }) => userIds),
        ...overrides.map(({ userId }) => userId),
      ])
  const targetsOf = ({ levels }: PolicyRecord): string[] =>
    levels.flatMap((level) => [
      ...level.userIds,
      ...level.channelIds,
      ...level.scheduleIds.flatMap(membersOf),
    ])
  return new Map(policies.map((policy) => [policy.id, new Set(targetsOf(policy))]))
}

/** The receivers of a rule, and those of its escalation policy. */
const allReceiversOf = <R extends NamedReceiver>(
  rule: AlertRuleRecord,
  receivers: readonly R[],
  targets: ReadonlyMap<string, ReadonlySet<string>>,
): R[] => {
  const own = new Set(receiversOf(rule, receivers))
  const more = targets.get(rule.escalationId ?? '')
  return receivers.filter((receiver) => own.has(receiver) || more?.has(receiver.id) === true)
}

/** Whether a rule notifies about checks that are down. */
const coversDown = ({ enabled, statuses }: AlertRuleRecord): boolean => enabled && statuses.includes('down')

/**
 * The checks whose outage somebody is told of.
 * @returns null: all checks of the account
 */
const reachedChecks = (
  rules: readonly AlertRuleRecord[],
  receivers: readonly PossibleReceiver[],
  sendsMail: boolean,
  targets: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): ReadonlySet<string> | null => {
  const isReached = (rule: AlertRuleRecord): boolean =>
    allReceiversOf(rule, receivers, targets).some((each) => notReached(each, sendsMail) === null)
  const reaching = rules.filter((rule) => coversDown(rule) && isReached(rule))
  if (reaching.some(({ checkIds }) => checkIds === null)) return null
  return new Set(reaching.flatMap(({ checkIds }) => checkIds ?? []))
}

/** Whether mail goes to people by a rule that notifies about outages. */
const mailsPeople = (rules: readonly AlertRuleRecord[]): boolean =>
  rules.some(
    (rule) => coversDown(rule) && (rule.emailUsers || rule.userIds.length > 0 || rule.addresses.length > 0),
  )

/** How many running checks have an outage that nobody is told of, and the first of them. */
export type Unreached = {
  count: number
  items: { id: string; name: string; at: null }[]
  mailsPeople: boolean
}

/** @param itemsMax how many checks are named */
export const findUnreachedChecks = async (
  tx: Transaction,
  accountId: string,
  sendsMail: boolean,
  itemsMax: number,
): Promise<Unreached> => {
  const rules = await findAlertRules(tx, accountId)
  const receivers = await findPossibleReceivers(tx, accountId)
  const targets = await findPolicyTargets(tx, accountId)
  const reached = reachedChecks(rules, receivers, sendsMail, targets)
  const mails = sendsMail && mailsPeople(rules)
  if (reached === null) return { count: 0, items: [], mailsPeople: mails }
  const rows = await tx<{ id: string; name: string; count: number }[]>`
    select id, name, count(*) over ()::integer as count from checks
    where account_id = ${accountId} and not paused and not (id = any(${[...reached]}::uuid[]))
    order by name, id limit ${itemsMax}`
  const items = rows.map(({ id, name }) => ({ id, name, at: null }))
  return { count: rows[0]?.count ?? 0, items, mailsPeople: mails }
}

/** Who is told of an outage of a check, by all its rules. Another account's check is SV-3001. */
export const getCheckReceivers = async (
  { sql, rules: { sendsMail } }: Pick<AccountContext, 'sql'> & { rules: Pick<AccountRules, 'sendsMail'> },
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<CheckReceivers | Refusal> => {
  const read = await inAccount(sql, accountId, async (tx) => {
    const [check] = await tx<{ id: string }[]>`
      select id from checks where id = ${id} and account_id = ${accountId}`
    if (check === undefined) return null
    // a paused check is shown as after its resume
    const rules = await findAlertRules(tx, accountId)
    const applying = rules.filter(
      (rule) => coversDown(rule) && appliesTo(rule, { id, accountId, paused: false }),
    )
    const targets = await findPolicyTargets(tx, accountId)
    return { applying, receivers: await findPossibleReceivers(tx, accountId), targets }
  })
  if (read === null) return refuse('SV-3001')
  const { applying, receivers, targets } = read
  return {
    receivers: receivers
      .filter((receiver) =>
        applying.some((rule) => allReceiversOf(rule, receivers, targets).includes(receiver)),
      )
      .map((receiver) => ({
        kind: receiver.kind === 'channel' ? 'channel' : receiver.isMember ? 'member' : 'address',
        id: receiver.id,
        name: receiver.name,
        notReached: notReached(receiver, sendsMail),
      })),
  }
}
