import { refuse, isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { describeComponent } from './describe-page.ts'
import {
  findComponents,
  insertComponent,
  findComponent,
  updateComponent as store,
  deleteComponent as remove,
} from '../page-record/components-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'
import { findStatusPage, lockStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Caller, Writer } from '../operations/context.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { lockPageAndCheck } from '../page-record/lock-page-and-check.ts'
import { write } from '../operations/write.ts'
import { changed } from '@probe-mesh/runtime/changed'
import type { ComponentRecord } from '../page-record/page-record.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** What a status page publishes, in the order it was published, with each state as it stands now. */
export const listComponents = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: RouteInput<'listComponents'>,
): Promise<{ components: Component[] } | Refusal> => {
  const nowMs = context.now()
  const [page, components, windows] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([
      findStatusPage(tx, accountId, id),
      findComponents(tx, [id]),
      findActiveWindowsOfPages(tx, [id], nowMs),
    ]),
  )
  if (page === null) return refuse('SV-3001')
  return {
    components: components.map((component) => describeComponent(component, windows, nowMs)),
  }
}

/** One published check with its state as it stands now. */
export const getComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id: statusPageId, componentId } }: RouteInput<'getComponent'>,
): Promise<Component | Refusal> =>
  inAccount(context.sql, accountId, (tx) =>
    readComponent(tx, { accountId, statusPageId, componentId }, context.now()),
  )

/**
 * Publishes a check on a page, by the check's name where no other is given. A private check, and one
 * that the page publishes already, is SV-3002.
 */
export const createComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: RouteInput<'createComponent'>,
): Promise<Component | Refusal> => {
  const { accountId } = writer
  const { id: statusPageId } = params
  const { checkId } = body
  return write(context, writer, createComponentEntry, async (tx): Promise<Component | Refusal> => {
    const own = await lockPageAndCheck(tx, accountId, { statusPageId, checkId })
    if (isRefusal(own)) return own
    // a check of a private agent is never published (S-1707)
    if (own.check.private) return conflict('A private check cannot be published.')
    const nowMs = context.now()
    const componentId = uuidv7(nowMs)
    const isNew = await insertComponent(tx, {
      id: componentId,
      accountId,
      statusPageId,
      checkId,
      displayName: body.displayName ?? own.check.name,
      description: body.description ?? null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    if (!isNew) return conflict('The page publishes this check already.')
    return readComponent(tx, { accountId, statusPageId, componentId }, nowMs)
  })
}

const createComponentEntry = {
  action: 'createComponent',
  resourceType: 'component',
  resourceId: ({ id }: Component) => id,
  answer: (component: Component) => component,
}

const conflict = (message: string): Refusal =>
  refuse('SV-3002', { message, errors: [{ path: 'checkId', message }] })

/** Changes how a published check is shown; what is left out stays. */
export const updateComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id: statusPageId, componentId }, body }: RouteInput<'updateComponent'>,
): Promise<Component | Refusal> => {
  const { accountId } = writer
  const of = { accountId, statusPageId, componentId }
  const name = {
    action: 'updateComponent',
    resourceType: 'component',
    resourceId: () => componentId,
  }
  return write(context, writer, name, async (tx): Promise<Component | Refusal> => {
    await lockStatusPage(tx, accountId, statusPageId)
    const component = await findComponent(tx, of)
    if (component === null) return refuse('SV-3001')
    const nowMs = context.now()
    await store(tx, changed<ComponentRecord>(component, { ...body, updatedAtMs: nowMs }))
    return readComponent(tx, of, nowMs)
  })
}

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

/** A component with its state, read where it is shown or has just been written; SV-3001 where none is. */
export const readComponent = async (
  db: Connection,
  of: { accountId: string; statusPageId: string; componentId: string },
  nowMs: number,
): Promise<Component | Refusal> => {
  const [component, windows] = await Promise.all([
    findComponent(db, of),
    findActiveWindowsOfPages(db, [of.statusPageId], nowMs),
  ])
  return component === null ? refuse('SV-3001') : describeComponent(component, windows, nowMs)
}
