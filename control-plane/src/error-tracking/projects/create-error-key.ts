import { openErrorKeysMax } from '@probe-mesh/contracts/error-tracking/error-project'
import type { ErrorKey } from '@probe-mesh/contracts/error-tracking/error-project'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeErrorKey } from '../events/key.ts'
import { findErrorKeys, insertErrorKey } from './error-keys-store.ts'
import { lockErrorProject } from './error-projects-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { newErrorKey } from './new-error-key.ts'
import { write } from '../../operations/write.ts'

/** Makes another key of a project: SDKs change over to it before the old one is revoked. */
export const createErrorKey = (
  context: Pick<AccountContext, 'sql' | 'now' | 'rules'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<ErrorKey | Refusal> => {
  const name = {
    action: 'createErrorKey',
    resourceType: 'error_key',
    resourceId: (key: ErrorKey) => key.id,
    answer: (key: ErrorKey) => key,
  }
  return write(context, writer, name, async (tx): Promise<ErrorKey | Refusal> => {
    // keys of one project are made and revoked one after another
    const project = await lockErrorProject(tx, writer.accountId, id)
    if (project === null) return refuse('SV-3001')
    const keys = await findErrorKeys(tx, writer.accountId, id)
    if (keys.filter(({ revokedAtMs }) => revokedAtMs === null).length >= openErrorKeysMax) {
      return refuse('SV-3002', {
        message: `The project has ${openErrorKeysMax} keys, which is the most. Revoke one first.`,
      })
    }
    const key = newErrorKey(project, context.now())
    await insertErrorKey(tx, key)
    return describeErrorKey(key, project, context.rules.publicUrl)
  })
}
