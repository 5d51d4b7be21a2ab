import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { deleteSubscriberOfAccount } from '../postgres/account-subscribers.ts'
import type { AccountContext, Writer } from './context.ts'
import { write } from './write.ts'

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
