import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { deleteErrorRule as deleteRow, lockErrorRule } from './error-rules-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

/** Deletes a rule of error tracking; what it was about to tell is told to nobody. */
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
