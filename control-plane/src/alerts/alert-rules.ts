import type {
  AlertRule,
  CreateAlertRuleInput,
  UpdateAlertRuleInput,
} from '@probe-mesh/contracts/alert/alert-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal, FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { describeAlertRule } from './alert-rule.ts'
import type { AlertRuleRecord } from './alert-rule.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import {
  findAlertRules,
  insertAlertRule,
  lockAlertRule,
  updateAlertRule as updateRow,
  deleteAlertRule as deleteRow,
  findUnknownIds,
} from './alert-rules-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { changed } from '@probe-mesh/runtime/changed'
import type { Connection } from '../stores/postgres/connect.ts'

/**
 * Creates an alert rule. It applies to changes from now on, not to checks that are down already. Refused
 * in this order: unknown checks and channels SV-2001, too many rules SV-3002.
 */
export const createAlertRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body }: { body: CreateAlertRuleInput },
): Promise<AlertRule | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const { unconfirmed = body.statuses.includes('down') } = body
  const id = uuidv7(createdAtMs)
  const rule: AlertRuleRecord = { ...body, unconfirmed, id, accountId, createdAtMs }
  const audit = { action: 'createAlertRule', resourceType: 'alert_rule', resourceId: () => rule.id }
  const written = await write(context, writer, audit, async (tx) => {
    const unknown = await refuseUnknownIds(tx, accountId, rule)
    if (unknown !== null) return unknown
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findAlertRules(tx, accountId)).length >= limits.alertRulesPerAccountMax) {
      return refuse('SV-3002', {
        message: `The limit of ${limits.alertRulesPerAccountMax} alert rules is reached.`,
      })
    }
    await insertAlertRule(tx, rule)
    return rule
  })
  return isRefusal(written) ? written : describeAlertRule(written)
}

/** The account's alert rules, oldest first. */
export const listAlertRules = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ alertRules: AlertRule[] }> => {
  const rules = await inAccount(context.sql, accountId, (tx) => findAlertRules(tx, accountId))
  return { alertRules: rules.map(describeAlertRule) }
}

/**
 * Changes the given fields. Alerts that the changed rule no longer applies to are closed without a
 * notification; another account's rule is SV-3001.
 */
export const updateAlertRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: { params: { id: string }; body: UpdateAlertRuleInput },
): Promise<AlertRule | Refusal> => {
  const { accountId } = writer
  const audit = {
    action: 'updateAlertRule',
    resourceType: 'alert_rule',
    resourceId: () => params.id,
  }
  const written = await write(context, writer, audit, async (tx) => {
    const rule = await lockAlertRule(tx, accountId, params.id)
    if (rule === null) return refuse('SV-3001')
    const unknown = await refuseUnknownIds(tx, accountId, body)
    if (unknown !== null) return unknown
    const next = changed(rule, body)
    await updateRow(tx, next, context.now())
    return next
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
    return { id, deleted: true } as const
  })
}

/** SV-2001 with every check and channel that the account does not have. */
export const refuseUnknownIds = async (
  db: Connection,
  accountId: string,
  { checkIds, channelIds }: Pick<UpdateAlertRuleInput, 'checkIds' | 'channelIds'>,
): Promise<Refusal | null> => {
  const named = { checkIds: checkIds ?? [], channelIds: channelIds ?? [] }
  const unknown = await findUnknownIds(db, accountId, named)
  if (unknown.size === 0) return null
  const problemsOf = (path: 'checkIds' | 'channelIds', what: string): FieldProblem[] =>
    named[path].flatMap((id, index) =>
      unknown.has(id)
        ? [{ path: `${path}[${index}]`, message: `this account has no ${what} with this id` }]
        : [],
    )
  return refuse('SV-2001', {
    errors: [...problemsOf('checkIds', 'check'), ...problemsOf('channelIds', 'channel')],
  })
}
