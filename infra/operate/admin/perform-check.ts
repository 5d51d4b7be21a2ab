import type { OperatorContext, SaveRules } from '@probe-mesh/control-plane/operations/context'
import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import { editTypedCheck, replaceSteps } from '@probe-mesh/control-plane/checks/edit-typed-check'
import { listChecks } from '@probe-mesh/control-plane/checks/list-checks'
import { targetCountsOf } from '@probe-mesh/control-plane/targets/target-counts'
import { findCheckOfAnyAccount } from '@probe-mesh/control-plane/check-record/many-checks-store'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckCommand, Outcome } from './command.ts'
import { findAccountId } from './find-account-id.ts'
import { readJsonFile } from './read-json-file.ts'

export type AdminContext = OperatorContext & { readonly rules: SaveRules }

/**
 * Does one act on checks, by the verbs of the dashboard. There is no bus here: a new check's first
 * readings are those of its first slots, and running control planes learn of it from the database.
 */
export const performCheck = async (
  admin: AdminContext,
  command: CheckCommand,
): Promise<Outcome | Refusal> => {
  const targets = targetCountsOf(admin.sql)
  const context = { ...admin, targets, runs: noFirstReadings, answers: noAnswers }
  const { act } = command
  if (act === 'check list') {
    const accountId = await findAccountId(admin, command.account)
    return isRefusal(accountId) ? accountId : { act, ...(await listChecks(context, { accountId })) }
  }
  const file = await readJsonFile(command.file)
  if (isRefusal(file)) return file
  const body = file.value
  if (act === 'check create') {
    const accountId = await findAccountId(admin, command.account)
    if (isRefusal(accountId)) return accountId
    const check = await createTypedCheck(context, { accountId, actor: operator }, body)
    return isRefusal(check) ? check : { act, check }
  }
  const { checkId } = command
  const owner = await findCheckOfAnyAccount(admin.sql, checkId)
  if (owner === null) return refuse('SV-3001', { message: 'There is no check with that id.' })
  const change = act === 'check edit' ? editTypedCheck : replaceSteps
  const check = await change(
    context,
    { accountId: owner.accountId, actor: operator },
    { checkId, body },
  )
  return isRefusal(check) ? check : { act, check }
}

const operator = { kind: 'operator' } as const
const noFirstReadings = { start: () => undefined }
/** Nothing is remembered here: those who remember answers are told by the database. */
const noAnswers = { drop: () => undefined }
