import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { deleteChannelRow } from './channels-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

/** Removes a channel; what waits to be sent over it is dropped. */
export const deleteChannel = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'deleteChannel'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = {
    action: 'deleteChannel',
    resourceType: 'notification_channel',
    resourceId: () => id,
  }
  return write(context, writer, name, async (tx) =>
    (await deleteChannelRow(tx, writer.accountId, id))
      ? ({ id, deleted: true } as const)
      : refuse('SV-3001'),
  )
}
