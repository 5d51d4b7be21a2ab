import {
  policiesMax,
  type EscalationLevel,
  type EscalationPolicy,
  type EscalationPolicyInput,
} from '@probe-mesh/contracts/on-call/escalation-policy'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import {
  deletePolicy,
  findPolicies,
  findRulesOfPolicy,
  findUnknownTargets,
  lockPolicy,
  writePolicy,
  type PolicyRecord,
} from './policies-store.ts'

type Context = Pick<AccountContext, 'sql' | 'now'>
type ById = { params: { id: string } }

/** The escalation policies of the account by name. */
export const listEscalationPolicies = async (
  { sql }: Pick<Context, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ policies: EscalationPolicy[] }> => {
  const found = await inAccount(sql, accountId, (tx) => findPolicies(tx, [accountId]))
  return { policies: found.map(describePolicy) }
}

/** SV-2001 with everything that the account does not have, SV-3002 for too many policies. */
export const createEscalationPolicy = async (
  context: Context,
  writer: Writer,
  { body }: { body: EscalationPolicyInput },
): Promise<EscalationPolicy | Refusal> => {
  const { accountId } = writer
  const nowMs = context.now()
  const record: PolicyRecord = { ...body, id: uuidv7(nowMs), accountId }
  const audit = auditOf('createEscalationPolicy', record.id)
  const written = await write(context, writer, audit, async (tx) => {
    const unknown = await refuseUnknown(tx, accountId, body.levels)
    if (unknown !== null) return unknown
    await lockAccount(tx, accountId)
    if ((await findPolicies(tx, [accountId])).length >= policiesMax) {
      return refuse('SV-3002', { message: `The limit of ${policiesMax} escalation policies is reached.` })
    }
    await writePolicy(tx, record, nowMs)
    return record
  })
  return isRefusal(written) ? written : describePolicy(written)
}

/** Replaces the settings. Alerts that are being escalated go on with the new levels. */
export const updateEscalationPolicy = async (
  context: Context,
  writer: Writer,
  { params: { id }, body }: ById & { body: EscalationPolicyInput },
): Promise<EscalationPolicy | Refusal> => {
  const written = await write(context, writer, auditOf('updateEscalationPolicy', id), async (tx) => {
    const before = await lockPolicy(tx, writer.accountId, id)
    if (before === null) return refuse('SV-3001')
    const unknown = await refuseUnknown(tx, writer.accountId, body.levels)
    if (unknown !== null) return unknown
    const record = { ...before, ...body }
    await writePolicy(tx, record, context.now())
    return record
  })
  return isRefusal(written) ? written : describePolicy(written)
}

/** SV-3002 while an alert rule names it. */
export const deleteEscalationPolicy = (
  context: Context,
  writer: Writer,
  { params: { id } }: ById,
): Promise<{ id: string; deleted: true } | Refusal> =>
  write(context, writer, auditOf('deleteEscalationPolicy', id), async (tx) => {
    if ((await lockPolicy(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    const rules = await findRulesOfPolicy(tx, id)
    if (rules.length > 0) {
      return refuse('SV-3002', {
        message: `Alert rules name this policy: ${rules.join(', ')}. Change them first.`,
      })
    }
    await deletePolicy(tx, id)
    return { id, deleted: true } as const
  })

const auditOf = (action: string, id: string) => ({
  action,
  resourceType: 'escalation_policy',
  resourceId: () => id,
})

const refuseUnknown = async (
  tx: Transaction,
  accountId: string,
  levels: readonly EscalationLevel[],
): Promise<Refusal | null> => {
  const unknown = await findUnknownTargets(tx, accountId, levels)
  const kinds = { userIds: 'member', scheduleIds: 'schedule', channelIds: 'channel' } as const
  const errors = levels.flatMap((level, at): FieldProblem[] =>
    (['userIds', 'scheduleIds', 'channelIds'] as const).flatMap((key) =>
      level[key].flatMap((id, index) =>
        unknown.has(id)
          ? [
              {
                path: `levels[${at}].${key}[${index}]`,
                message: `this account has no ${kinds[key]} with this id`,
              },
            ]
          : [],
      ),
    ),
  )
  return errors.length === 0 ? null : refuse('SV-2001', { errors })
}

const describePolicy = ({
  id,
  name,
  levels,
  repeats,
  repeatAfterMinutes,
}: PolicyRecord): EscalationPolicy => ({
  id,
  name,
  levels,
  repeats,
  repeatAfterMinutes,
})
