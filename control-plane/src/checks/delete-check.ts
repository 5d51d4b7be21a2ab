import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { lockCheck, notifyCheckChanged } from '../records/check/checks-store.ts'
import { deleteChecksForGood } from '../records/check/deleted-checks-store.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'

/** Deletes a check with its history; its stored readings are purged soon after (S-219). */
export const deleteCheck = async (
  context: Pick<AccountContext, 'sql' | 'answers' | 'uptimes' | 'now'>,
  caller: Caller,
  input: RouteInput<'deleteCheck'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const { id } = input.params
  const name = { action: 'deleteCheck', resourceType: 'check', resourceId: () => id }
  const deleted = await write(context, caller, name, async (tx) => {
    const check = await lockCheck(tx, caller.accountId, id)
    if (check === null) return refuse('SV-3001')
    await deleteChecksForGood(tx, { accountId: caller.accountId, checkIds: [id] }, context.now())
    await notifyCheckChanged(tx, id)
    return { id, deleted: true } as const
  })
  if (isRefusal(deleted)) return deleted
  context.answers.drop(id)
  context.uptimes.drop(id)
  return deleted
}
