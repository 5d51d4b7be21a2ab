import type { OperatorContext, SaveRules } from '@probe-mesh/control-plane/operations/context'
import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-typed-check'
import { editTypedCheck } from '@probe-mesh/control-plane/checks/edit-typed-check'
import { listChecks } from '@probe-mesh/control-plane/checks/list-checks'
import { targetCountsOf } from '@probe-mesh/control-plane/targets/target-counts'
import { replaceSteps } from '@probe-mesh/control-plane/checks/replace-steps'
import { findCheckOfAnyAccount } from '@probe-mesh/control-plane/checks/assignable-checks-store'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckCommand, Outcome } from './command.ts'
import { findAccountId } from './find-account-id.ts'
import { open } from 'node:fs/promises'

/** Ten steps with the longest bodies and values fit; more is no check. */
export const fileBytesMax = 1024 * 1024

/** What a JSON file of the operator says, or SV-2001 with why it cannot be read. */
const readJsonFile = async (path: string): Promise<{ value: unknown } | Refusal> => {
  const text = await readStart(path)
  if (text === null) return refuse('SV-2001', { message: `${path} cannot be read.` })
  if (text.length > fileBytesMax) {
    return refuse('SV-2001', { message: `${path} is larger than ${fileBytesMax} bytes.` })
  }
  try {
    return { value: JSON.parse(text.toString('utf8')) }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be parsed'
    return refuse('SV-2001', { status: 400, message: `${path} is not JSON: ${why}` })
  }
}

/** As much of a file as is looked at; null where there is none to read. */
const readStart = async (path: string): Promise<Buffer | null> => {
  try {
    const file = await open(path, 'r')
    try {
      const buffer = Buffer.alloc(fileBytesMax + 1)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}

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
