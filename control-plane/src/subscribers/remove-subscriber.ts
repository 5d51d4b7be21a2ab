import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { deleteSubscriberOfAccount } from './account-subscribers-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/**
 * Ends a subscription in the name of who publishes the page. The address is told nothing, and may ask
 * again. What is on its way already is sent.
 */
export const removeSubscriber = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = { action: 'removeSubscriber', resourceType: 'subscriber', resourceId: () => id }
  return write(context, writer, name, async (tx) =>
    (await deleteSubscriberOfAccount(tx, writer.accountId, id))
      ? ({ id, deleted: true } as const)
      : refuse('SV-3001'),
  )
}
