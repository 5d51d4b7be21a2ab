import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { deleteSourceMapUpload } from './error-source-maps-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

/** Deletes the source maps of one upload. Events that were read by them stay as they are. */
export const deleteSourceMaps = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id, uploadId } }: { params: { id: string; uploadId: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = {
    action: 'deleteSourceMaps',
    resourceType: 'error_source_maps',
    resourceId: () => id,
  }
  return write(context, writer, name, async (tx) => {
    const which = { accountId: writer.accountId, projectId: id, uploadId }
    const count = await deleteSourceMapUpload(tx, which, context.now())
    return count === 0 ? refuse('SV-3001') : ({ id: uploadId, deleted: true } as const)
  })
}
