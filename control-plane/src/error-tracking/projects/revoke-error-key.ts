import type { ErrorKey } from '@probe-mesh/contracts/error-tracking/error-project'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeErrorKey } from '../events/key.ts'
import { findErrorKeys, updateErrorKeyRevoked } from './error-keys-store.ts'
import { lockErrorProject } from './error-projects-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

/**
 * Revokes a key once: the first instant stays. The last open one is SV-3002: a project always has a
 * DSN, and who wants no reports deletes it.
 */
export const revokeErrorKey = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { params: { id, keyId } }: { params: { id: string; keyId: string } },
): Promise<ErrorKey | Refusal> => {
  const name = { action: 'revokeErrorKey', resourceType: 'error_key', resourceId: () => keyId }
  return write(context, writer, name, async (tx): Promise<ErrorKey | Refusal> => {
    const project = await lockErrorProject(tx, writer.accountId, id)
    const keys = project === null ? [] : await findErrorKeys(tx, writer.accountId, id)
    const key = keys.find((each) => each.id === keyId)
    if (project === null || key === undefined) return refuse('SV-3001')
    const { publicUrl } = context.rules
    if (key.revokedAtMs !== null) return describeErrorKey(key, project, publicUrl)
    if (keys.filter(({ revokedAtMs }) => revokedAtMs === null).length === 1) {
      return refuse('SV-3002', {
        message: "This is the project's last key. Make another first, or delete the project.",
      })
    }
    const revoked = { ...key, revokedAtMs: context.now() }
    await updateErrorKeyRevoked(tx, keyId, revoked.revokedAtMs)
    return describeErrorKey(revoked, project, publicUrl)
  })
}
