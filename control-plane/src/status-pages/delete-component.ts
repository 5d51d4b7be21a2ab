import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { deleteComponent as remove } from '../page-record/components-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/** Unpublishes the check, which keeps running (S-1707). */
export const deleteComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id: statusPageId, componentId } }: RouteInput<'deleteComponent'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const { accountId } = writer
  const name = {
    action: 'deleteComponent',
    resourceType: 'component',
    resourceId: () => componentId,
  }
  return write(context, writer, name, async (tx) =>
    (await remove(tx, { accountId, statusPageId, componentId }))
      ? ({ id: componentId, deleted: true } as const)
      : refuse('SV-3001'),
  )
}
