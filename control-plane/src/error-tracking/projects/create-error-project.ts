import { errorProjectsMax } from '@probe-mesh/contracts/error-tracking/error-project'
import type { CreateErrorProjectInput } from '@probe-mesh/contracts/error-tracking/error-project'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../../accounts/accounts-store.ts'
import { insertErrorKey } from './error-keys-store.ts'
import { findErrorProjects, insertErrorProject } from './error-projects-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { newErrorKey } from './new-error-key.ts'
import { write } from '../../operations/write.ts'

/** Makes an error project with its first key. Too many projects are SV-3002. */
export const createErrorProject = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body: { name, platform } }: { body: CreateErrorProjectInput },
): Promise<{ id: string } | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const id = uuidv7(createdAtMs)
  const noted = {
    action: 'createErrorProject',
    resourceType: 'error_project',
    resourceId: () => id,
    answer: (made: { id: string }) => made,
  }
  return write(context, writer, noted, async (tx) => {
    // the lock makes the count below hold until the insert
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findErrorProjects(tx, accountId)).length >= errorProjectsMax) {
      return refuse('SV-3002', {
        message: `The account has ${errorProjectsMax} error projects, which is the most.`,
      })
    }
    await insertErrorProject(tx, { id, accountId, name, platform, createdAtMs })
    await insertErrorKey(tx, newErrorKey({ id, accountId }, createdAtMs))
    return { id }
  })
}
