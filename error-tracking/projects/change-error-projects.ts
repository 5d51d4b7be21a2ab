import {
  errorProjectsMax,
  type CreateErrorProjectInput,
  type UpdateErrorProjectInput,
} from '../contracts/error-project.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '@probe-mesh/control-plane/src/accounts/accounts-store'
import { insertErrorKey, newErrorKey } from './error-keys.ts'
import {
  findErrorProjects,
  insertErrorProject,
  lockErrorProject,
  updateErrorProject as updateRow,
  deleteErrorProject as deleteRow,
} from './error-projects-store.ts'
import type { AccountContext, Writer } from '@probe-mesh/control-plane/src/accounts/operations/context'
import { write } from '@probe-mesh/control-plane/src/accounts/operations/write'
import type { ErrorProjectRecord } from './project.ts'
import type { Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { findErrorSettings, updateErrorSettings } from './error-settings-store.ts'
import { monthOf } from '../events/quota.ts'

/** Creates an error project with its first key. SV-3002 at the project limit. */
export const createErrorProject = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body: { name, platform } }: { body: CreateErrorProjectInput },
): Promise<{ id: string } | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const id = uuidv7(createdAtMs)
  const entry = {
    action: 'createErrorProject',
    resourceType: 'error_project',
    resourceId: () => id,
    answer: (created: { id: string }) => created,
  }
  return write(context, writer, entry, async (tx) => {
    // with this lock the count below stays valid until the insert
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findErrorProjects(tx, accountId)).length >= errorProjectsMax) {
      return refuse('SV-3002', {
        message: `The limit of ${errorProjectsMax} error projects is reached. Delete one first.`,
      })
    }
    await insertErrorProject(tx, { id, accountId, name, platform, createdAtMs })
    await insertErrorKey(tx, newErrorKey({ id, accountId }, createdAtMs))
    return { id }
  })
}

/** Changes the given fields; DSNs stay. SV-3001 for a missing project or one of another account. */
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

/** Without a changed setting no update is written, so that control planes do not read the key again. */
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

/** Deletes a project with its events, which still count towards the quota of the month. */
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
