import type { OperatorContext, SaveRules } from '@probe-mesh/control-plane/accounts/operations/context'
import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import { editTypedCheck, replaceSteps } from '@probe-mesh/control-plane/checks/edit-typed-check'
import { listAllChecks } from '@probe-mesh/control-plane/checks/list/list-checks'
import { targetCountsOf } from '@probe-mesh/control-plane/targets/target-counts'
import { findCheckOfAnyAccount } from '@probe-mesh/control-plane/records/check/many-checks-store'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckCommand, Outcome } from './command.ts'
import { findAccountId } from './find-account-id.ts'
import { open } from 'node:fs/promises'

/** Ten steps with the longest bodies and values fit. */
export const fileBytesMax = 1024 * 1024

/** Reads a JSON file of the operator, or refuses with SV-2001 and the reason. */
const readJsonFile = async (path: string): Promise<{ value: unknown } | Refusal> => {
  const text = await readStart(path)
  if (text === null) return refuse('SV-2001', { message: `${path} cannot be read.` })
  if (text.length > fileBytesMax) {
    return refuse('SV-2001', { message: `${path} is larger than ${fileBytesMax} bytes.` })
  }
  try {
    return { value: JSON.parse(text.toString('utf8')) }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'parsing failed'
    return refuse('SV-2001', { status: 400, message: `${path} is not JSON: ${why}` })
  }
}

/** Reads up to `fileBytesMax` + 1 bytes; null for an unreadable file. */
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

export type AdminContext = OperatorContext & {
  readonly rules: SaveRules & { readonly smtpUrl: string | null }
}

/**
 * Runs one act on checks with the dashboard's operations. The command has no bus: a new check is first
 * measured in its next slot, and running control planes read it from the database.
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
    return isRefusal(accountId) ? accountId : { act, ...(await listAllChecks(context, { accountId })) }
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
  const check = await change(context, { accountId: owner.accountId, actor: operator }, { checkId, body })
  return isRefusal(check) ? check : { act, check }
}

const operator = { kind: 'operator' } as const
const noFirstReadings = { start: () => undefined }
/** This process caches no answers; control planes read the change from the database. */
const noAnswers = { drop: () => undefined }
