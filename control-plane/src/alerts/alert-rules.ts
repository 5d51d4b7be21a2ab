import type { AlertAddress } from '@probe-mesh/contracts/alert/alert-address'
import type {
  AlertRule,
  CreateAlertRuleInput,
  UpdateAlertRuleInput,
} from '@probe-mesh/contracts/alert/alert-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse, type Refusal, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { describeAlertRule, type AlertRuleRecord } from './alert-rule.ts'
import { findPolicies } from '../on-call/policies-store.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import {
  findAlertRules,
  insertAlertRule,
  lockAlertRule,
  updateAlertRule as updateRow,
  deleteAlertRule as deleteRow,
  findUnknownIds,
} from './alert-rules-store.ts'
import type { AccountContext, AccountRules, Writer } from '../accounts/operations/context.ts'
import { write, type WriteName } from '../accounts/operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { changed } from '@probe-mesh/runtime/changed'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import {
  addressProblems,
  askNewAddresses,
  newAddresses,
  withMails,
  type RuleContext,
} from './alert-addresses.ts'
import { deleteUnnamedAddresses, describeAlertAddress, findAlertAddresses } from './alert-addresses-store.ts'

/**
 * Creates an alert rule. It applies to changes from now on, not to checks that are down already. Addresses that are
 * new to the account get a mail to confirm. Refused in this order: too many mails SV-6005; unknown checks, channels
 * and members and wrong addresses SV-2001, all at once; too many rules or addresses SV-3002.
 */
export const createAlertRule = async (
  context: RuleContext,
  writer: Writer,
  { body }: { body: CreateAlertRuleInput },
): Promise<AlertRule | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const { unconfirmed = body.statuses.includes('down') } = body
  const id = uuidv7(createdAtMs)
  const rule: AlertRuleRecord = { ...body, unconfirmed, id, accountId, createdAtMs }
  const audit = { action: 'createAlertRule', resourceType: 'alert_rule', resourceId: () => rule.id }
  const written = await writeWithMails(context, writer, body, audit, async (tx) => {
    const wrong = await refuseWrong(context, tx, accountId, rule)
    if (wrong !== null) return wrong
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findAlertRules(tx, accountId)).length >= limits.alertRulesPerAccountMax) {
      return refuse('SV-3002', {
        message: `The limit of ${limits.alertRulesPerAccountMax} alert rules is reached.`,
      })
    }
    await insertAlertRule(tx, rule)
    return (await askNewAddresses(context, tx, accountId, rule.addresses)) ?? rule
  })
  return isRefusal(written) ? written : describeAlertRule(written)
}

/** The account's alert rules, oldest first, and the addresses that they name. */
export const listAlertRules = async (
  context: Pick<AccountContext, 'sql' | 'now'> & { rules: Pick<AccountRules, 'sendsMail'> },
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ alertRules: AlertRule[]; addresses: AlertAddress[]; sendsMail: boolean }> => {
  const [rules, addresses] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([findAlertRules(tx, accountId), findAlertAddresses(tx, accountId)]),
  )
  const nowMs = context.now()
  return {
    alertRules: rules.map(describeAlertRule),
    addresses: addresses.map((each) => describeAlertAddress(each, nowMs)),
    sendsMail: context.rules.sendsMail,
  }
}

/**
 * Changes the given fields. Alerts that the changed rule no longer applies to are closed without a
 * notification; another account's rule is SV-3001. Addresses as in `createAlertRule`.
 */
export const updateAlertRule = async (
  context: RuleContext,
  writer: Writer,
  { params, body }: { params: { id: string }; body: UpdateAlertRuleInput },
): Promise<AlertRule | Refusal> => {
  const { accountId } = writer
  const audit = {
    action: 'updateAlertRule',
    resourceType: 'alert_rule',
    resourceId: () => params.id,
  }
  const written = await writeWithMails(context, writer, body, audit, async (tx) => {
    if (body.addresses !== undefined) await lockAccount(tx, accountId)
    const rule = await lockAlertRule(tx, accountId, params.id)
    if (rule === null) return refuse('SV-3001')
    const wrong = await refuseWrong(context, tx, accountId, body, rule.addresses)
    if (wrong !== null) return wrong
    const next = changed(rule, body)
    await updateRow(tx, next, context.now())
    await deleteUnnamedAddresses(tx, accountId)
    return (await askNewAddresses(context, tx, accountId, body.addresses ?? [])) ?? next
  })
  return isRefusal(written) ? written : describeAlertRule(written)
}

/** Deletes a rule and closes its alerts without a notification. */
export const deleteAlertRule = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = { action: 'deleteAlertRule', resourceType: 'alert_rule', resourceId: () => id }
  return write(context, writer, audit, async (tx) => {
    if ((await lockAlertRule(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    await deleteRow(tx, id)
    await deleteUnnamedAddresses(tx, writer.accountId)
    return { id, deleted: true } as const
  })
}

/** A write of a rule that may name addresses which need a mail to confirm. */
const writeWithMails = async (
  context: RuleContext,
  writer: Writer,
  { addresses = [] }: { addresses?: readonly string[] | undefined },
  audit: WriteName<AlertRuleRecord>,
  work: (tx: Transaction) => Promise<AlertRuleRecord | Refusal>,
): Promise<AlertRuleRecord | Refusal> => {
  const asked = context.rules.sendsMail ? await newAddresses(context, writer.accountId, addresses) : []
  return withMails(context, writer.accountId, asked, () => write(context, writer, audit, work))
}

/**
 * SV-2001 with every check, channel and member that the account does not have, and every wrong address.
 * @param kept addresses that the rule names already
 */
const refuseWrong = async (
  context: RuleContext,
  db: Connection,
  accountId: string,
  body: UpdateAlertRuleInput,
  kept: readonly string[] = [],
): Promise<Refusal | null> => {
  const named = {
    checkIds: body.checkIds ?? [],
    channelIds: body.channelIds ?? [],
    userIds: body.userIds ?? [],
  }
  const fallback = body.fallbackChannelId ?? null
  const unknown = await findUnknownIds(db, accountId, {
    ...named,
    channelIds: [...named.channelIds, ...(fallback === null ? [] : [fallback])],
  })
  const problemsOf = (path: keyof typeof named, what: string): FieldProblem[] =>
    named[path].flatMap((id, index) =>
      unknown.has(id)
        ? [{ path: `${path}[${index}]`, message: `this account has no ${what} with this id` }]
        : [],
    )
  const errors = [
    ...problemsOf('checkIds', 'check'),
    ...problemsOf('channelIds', 'channel'),
    ...(fallback !== null && unknown.has(fallback)
      ? [{ path: 'fallbackChannelId', message: 'this account has no channel with this id' }]
      : []),
    ...problemsOf('userIds', 'member'),
    ...(await policyProblems(db, accountId, body.escalationId ?? null)),
    ...(await addressProblems(context, db, accountId, body.addresses ?? [], kept)),
  ]
  return errors.length === 0 ? null : refuse('SV-2001', { errors })
}

const policyProblems = async (
  db: Connection,
  accountId: string,
  escalationId: string | null,
): Promise<FieldProblem[]> => {
  if (escalationId === null) return []
  const found = (await findPolicies(db, [accountId])).some(({ id }) => id === escalationId)
  const message = 'this account has no escalation policy with this id'
  return found ? [] : [{ path: 'escalationId', message }]
}
