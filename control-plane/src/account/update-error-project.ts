import type { UpdateErrorProjectInput } from '@probe-mesh/contracts/error-project'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { lockErrorProject, updateErrorProject as updateRow } from '../postgres/error-projects.ts'
import type { AccountContext, Writer } from './context.ts'
import { write } from './write.ts'

/** Changes the fields that are given; its DSNs stay. Another account's project is SV-3001. */
export const updateErrorProject = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body }: { params: { id: string }; body: UpdateErrorProjectInput },
): Promise<{ id: string } | Refusal> => {
  const name = {
    action: 'updateErrorProject',
    resourceType: 'error_project',
    resourceId: () => id,
  }
  return write(context, writer, name, async (tx) => {
    const project = await lockErrorProject(tx, writer.accountId, id)
    if (project === null) return refuse('SV-3001')
    await updateRow(tx, {
      id,
      name: body.name ?? project.name,
      platform: body.platform ?? project.platform,
    })
    return { id }
  })
}
