import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { deleteAlertRule as deleteRow, lockAlertRule } from './alert-rules-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/** Deletes a rule; what it has begun to tell ends without a word. */
export const deleteAlertRule = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = { action: 'deleteAlertRule', resourceType: 'alert_rule', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    if ((await lockAlertRule(tx, writer.accountId, id)) === null) return refuse('SV-3001')
    await deleteRow(tx, id)
    return { id, deleted: true } as const
  })
}
