import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { monthOf } from '../events/month.ts'
import { deleteErrorProject as deleteRow, lockErrorProject } from './error-projects-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

/** Deletes a project with all that was reported to it. What it spent of the month's quota stays spent. */
export const deleteErrorProject = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; deleted: true } | Refusal> => {
  const name = {
    action: 'deleteErrorProject',
    resourceType: 'error_project',
    resourceId: () => id,
  }
  return write(context, writer, name, async (tx) => {
    const project = await lockErrorProject(tx, writer.accountId, id)
    if (project === null) return refuse('SV-3001')
    const nowMs = context.now()
    await deleteRow(tx, project, { month: monthOf(nowMs), nowMs })
    return { id, deleted: true } as const
  })
}
