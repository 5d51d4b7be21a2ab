import type { UpdateErrorProjectInput } from '@probe-mesh/contracts/error-tracking/error-project'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ErrorProjectRecord } from '../events/project.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { lockErrorProject, updateErrorProject as updateRow } from './error-projects-store.ts'
import { findErrorSettings, updateErrorSettings } from './error-settings-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { write } from '../../operations/write.ts'

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
    await changeSettings(tx, project, body)
    return { id }
  })
}

/** A project whose settings nobody names tells the door nothing. */
const changeSettings = async (
  tx: Transaction,
  { id, accountId }: Pick<ErrorProjectRecord, 'id' | 'accountId'>,
  { scrubNames, keepAddresses, filters }: UpdateErrorProjectInput,
): Promise<void> => {
  if (scrubNames === undefined && keepAddresses === undefined && filters === undefined) return
  const known = await findErrorSettings(tx, accountId, id)
  if (known === null) return
  await updateErrorSettings(tx, id, {
    scrubNames: scrubNames ?? known.scrubNames,
    keepAddresses: keepAddresses ?? known.keepAddresses,
    filters: filters ?? known.filters,
  })
}
