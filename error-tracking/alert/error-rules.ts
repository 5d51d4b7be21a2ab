import {
  errorRulesMax,
  type CreateErrorRuleInput,
  type ErrorRule,
  type UpdateErrorRuleInput,
} from '../contracts/error-rule.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type Refusal, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { describeErrorRule, type ErrorRuleRecord } from './error-rule.ts'
import { lockAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import {
  findErrorRules,
  insertErrorRule,
  findUnknownIds,
  lockErrorRule,
  updateErrorRule as updateRow,
  deleteErrorRule as deleteRow,
} from './error-rules-store.ts'
import type { AccountContext, Writer } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { write } from '@probe-mesh/control-plane/src/accounts/operations/write'
import type { Connection } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { isDeepStrictEqual } from 'node:util'
import { changed } from '@probe-mesh/runtime/changed'
import { closeSpikes } from './error-spikes-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'

/** SV-2001 with all projects and channels of a rule that do not belong to the account. */
const refuseUnknownIds = async (
  db: Connection,
  accountId: string,
  { projectIds, channelIds }: Pick<UpdateErrorRuleInput, 'projectIds' | 'channelIds'>,
): Promise<Refusal | null> => {
  const named = { projectIds: projectIds ?? [], channelIds: channelIds ?? [] }
  const unknown = await findUnknownIds(db, accountId, named)
  if (unknown.size === 0) return null
  const problemsOf = (path: 'projectIds' | 'channelIds', what: string): FieldProblem[] =>
    named[path].flatMap((id, index) =>
      unknown.has(id) ? [{ path: `${path}[${index}]`, message: `${what} not found` }] : [],
    )
  return refuse('SV-2001', {
    errors: [...problemsOf('projectIds', 'project'), ...problemsOf('channelIds', 'channel')],
  })
}

/**
 * Creates an error alert rule, which notifies about later events only. Refusals in this order: SV-2001 for
 * unknown projects and channels, SV-3002 at the rule limit.
 */
export const createErrorRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body }: { body: CreateErrorRuleInput },
): Promise<ErrorRule | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const rule: ErrorRuleRecord = { ...body, id: uuidv7(createdAtMs), accountId, createdAtMs }
  const name = { action: 'createErrorRule', resourceType: 'error_rule', resourceId: () => rule.id }
  const written = await write(context, writer, name, async (tx) => {
    const unknown = await refuseUnknownIds(tx, accountId, rule)
    if (unknown !== null) return unknown
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findErrorRules(tx, accountId)).length >= errorRulesMax) {
      return refuse('SV-3002', {
        message: `The limit of ${errorRulesMax} error alert rules is reached. Delete one first.`,
      })
    }
    await insertErrorRule(tx, rule)
    return rule
  })
  return isRefusal(written) ? written : describeErrorRule(written, null)
}

/**
 * Changes the given fields. A change of the spike criteria ends open spikes without a message. SV-3001 for a
 * missing rule or one of another account.
 */
export const updateErrorRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: { params: { id: string }; body: UpdateErrorRuleInput },
): Promise<ErrorRule | Refusal> => {
  const { accountId } = writer
  const name = {
    action: 'updateErrorRule',
    resourceType: 'error_rule',
    resourceId: () => params.id,
  }
  const written = await write(context, writer, name, async (tx) => {
    const rule = await lockErrorRule(tx, accountId, params.id)
    if (rule === null) return refuse('SV-3001')
    const unknown = await refuseUnknownIds(tx, accountId, body)
    if (unknown !== null) return unknown
    const next = changed(rule, body)
    await updateRow(tx, next, context.now())
    if (!isDeepStrictEqual(spikeCriteria(rule), spikeCriteria(next))) {
      await closeSpikes(tx, rule.id, context.now())
    }
    return (await findErrorRules(tx, accountId)).find((each) => each.rule.id === rule.id) ?? null
  })
  if (written === null) return refuse('SV-3001')
  return isRefusal(written) ? written : describeErrorRule(written.rule, written)
}

/** All fields that decide whether there is a spike. */
const spikeCriteria = ({ enabled, events, spike, projectIds }: ErrorRuleRecord) => ({
  isEnabled: enabled && events.includes('spike'),
  spike,
  projectIds: projectIds?.toSorted() ?? null,
})

/** Deletes an error alert rule with its waiting notices. */
export const deleteErrorRule = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = { action: 'deleteErrorRule', resourceType: 'error_rule', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    if ((await lockErrorRule(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    await deleteRow(tx, id)
    return { id, deleted: true } as const
  })
}

/** The account's error alert rules, oldest first. */
export const listErrorRules = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ errorRules: ErrorRule[] }> => {
  const rules = await inAccount(context.sql, accountId, (tx) => findErrorRules(tx, accountId))
  return { errorRules: rules.map(({ rule, ...pending }) => describeErrorRule(rule, pending)) }
}
