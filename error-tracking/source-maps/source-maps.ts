import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { sourceMapLimits, sourceMapUploadsMax, type SourceMaps } from '../contracts/source-map.ts'
import { findErrorProject } from '../projects/error-projects-store.ts'
import { findSourceMapUploads, findSourceMapUse, deleteSourceMapUpload } from './error-source-maps-store.ts'
import { inAccount } from '@probe-mesh/control-plane/src/stores/postgres/in-account'
import type {
  AccountContext,
  Caller,
  Writer,
} from '@probe-mesh/control-plane/src/accounts/operations/context'
import { write } from '@probe-mesh/control-plane/src/accounts/operations/write'

/** The source maps of an error project by upload, and the account's use of its limit. */
export const listSourceMaps = (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<SourceMaps | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    if ((await findErrorProject(tx, accountId, id)) === null) return refuse('SV-3001')
    const [found, use] = await Promise.all([
      findSourceMapUploads(tx, accountId, id, sourceMapUploadsMax),
      findSourceMapUse(tx, accountId),
    ])
    return {
      ...found,
      bytesUsed: use.bytes,
      bytesMax: sourceMapLimits.accountBytesMax,
      asOf: new Date(now()).toISOString(),
    }
  })

/** Deletes the source maps of one upload. Events that were resolved with them stay unchanged. */
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
