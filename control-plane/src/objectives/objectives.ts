import {
  latencyChecksMax,
  objectivesMax,
  type Objective,
  type ObjectiveInput,
} from '@probe-mesh/contracts/objective/objective'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import { lockAlertRule } from '../alerts/alert-rules-store.ts'
import { attemptMsOf } from '../records/check/check-record.ts'
import { findCheck, findChecksOf } from '../records/check/checks-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { endBurnAlerts, watchBurns } from './burn-alerts-store.ts'
import { readObjectives, type ObjectiveContext } from './objective-states.ts'
import {
  countObjectives,
  deleteObjective as deleteRow,
  findTagged,
  lockObjective,
  writeObjective,
} from './objectives-store.ts'

type WriteContext = Pick<AccountContext, 'sql' | 'now'>
type ById = { params: { id: string } }
type Body = { body: ObjectiveInput }

const auditOf = (action: string, id: string) => ({ action, resourceType: 'objective', resourceId: () => id })

/** The objectives of the account by name. */
export const listObjectives = async (
  context: ObjectiveContext,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ objectives: Objective[] }> => ({ objectives: await readObjectives(context, accountId) })

export const getObjective = async (
  context: ObjectiveContext,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: ById,
): Promise<Objective | Refusal> =>
  (await readObjectives(context, accountId)).find((each) => each.id === id) ?? refuse('SV-3001')

/** SV-2001 for a check without probes and for a check or rule that the account does not have, SV-3002 for too many objectives. */
export const createObjective = (
  context: WriteContext,
  writer: Writer,
  { body }: Body,
): Promise<{ id: string } | Refusal> => {
  const { accountId } = writer
  const nowMs = context.now()
  const id = uuidv7(nowMs)
  return write(context, writer, auditOf('createObjective', id), async (tx) => {
    const refusal = await refuseUnknown(tx, accountId, body)
    if (refusal !== null) return refusal
    await lockAccount(tx, accountId)
    if ((await countObjectives(tx, accountId)) >= objectivesMax) {
      return refuse('SV-3002', { message: `The limit of ${objectivesMax} objectives is reached.` })
    }
    await writeObjective(tx, { ...body, id, accountId }, nowMs)
    if (body.alertRuleId !== null) await watchBurns(tx, accountId)
    return { id }
  })
}

/** Replaces the settings. Another alert rule ends open alerts without a message. */
export const updateObjective = (
  context: WriteContext,
  writer: Writer,
  { params: { id }, body }: ById & Body,
): Promise<{ id: string } | Refusal> =>
  write(context, writer, auditOf('updateObjective', id), async (tx) => {
    const before = await lockObjective(tx, writer.accountId, id)
    if (before === null) return refuse('SV-3001')
    const refusal = await refuseUnknown(tx, writer.accountId, body)
    if (refusal !== null) return refusal
    await writeObjective(tx, { ...before, ...body }, context.now())
    // the receivers of another rule were not told that it began
    if (body.alertRuleId !== before.alertRuleId) await endBurnAlerts(tx, id)
    if (body.alertRuleId !== null) await watchBurns(tx, writer.accountId)
    return { id }
  })

export const deleteObjective = (
  context: WriteContext,
  writer: Writer,
  { params: { id } }: ById,
): Promise<{ id: string; deleted: true } | Refusal> =>
  write(context, writer, auditOf('deleteObjective', id), async (tx) => {
    if ((await lockObjective(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    await deleteRow(tx, id)
    return { id, deleted: true } as const
  })

/** All problems at once. */
const refuseUnknown = async (
  tx: Transaction,
  accountId: string,
  { checkId, tag, alertRuleId, latencyMsMax }: Omit<ObjectiveInput, 'name' | 'target' | 'windowDays'>,
): Promise<Refusal | null> => {
  const errors: FieldProblem[] = []
  const check = checkId === null ? null : await findCheck(tx, accountId, checkId)
  if (checkId !== null && (check === null || check.type === 'heartbeat')) {
    const message =
      check === null
        ? 'this account has no check with this id'
        : 'is a heartbeat, which has no probes; choose a probed check'
    errors.push({ path: 'checkId', message })
  }
  const tagged =
    tag === null || latencyMsMax === null
      ? []
      : await findChecksOf(tx, accountId, await findTagged(tx, accountId, tag, latencyChecksMax))
  const attemptMs = Math.max(
    ...[...tagged, ...(check === null ? [] : [check])].map((of) => attemptMsOf(of) ?? 0),
  )
  if (attemptMs > 0 && latencyMsMax !== null && latencyMsMax >= attemptMs) {
    const probe = check === null ? 'each probe of the checks with this tag' : 'a probe of this check'
    const message = `${probe} ends after ${attemptMs.toLocaleString('en')} ms, so none is slower: name less`
    errors.push({ path: 'latencyMsMax', message })
  }
  // locked, so that it is not deleted before the objective names it
  if (alertRuleId !== null && (await lockAlertRule(tx, accountId, alertRuleId)) === null) {
    errors.push({ path: 'alertRuleId', message: 'this account has no alert rule with this id' })
  }
  return errors.length === 0 ? null : refuse('SV-2001', { errors })
}
