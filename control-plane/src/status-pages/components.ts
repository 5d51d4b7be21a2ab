import { refuse, isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { describeComponent } from './describe-page.ts'
import {
  findComponents,
  insertComponent,
  findComponent,
  updateComponent as store,
  deleteComponent as remove,
} from '../records/status-page/components-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'
import { findStatusPage, lockStatusPage } from '../records/status-page/status-pages-store.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { lockPageAndCheck } from '../records/status-page/lock-page-and-check.ts'
import { pageOf } from '../accounts/operations/page-of.ts'
import { write } from '../accounts/operations/write.ts'
import { changed } from '@probe-mesh/runtime/changed'
import type { ComponentRecord } from '../records/status-page/page-record.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** The components of a status page with their current states, in the order of the page. */
export const listComponents = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id }, query }: RouteInput<'listComponents'>,
): Promise<{ components: Component[]; nextCursor: string | null } | Refusal> => {
  const nowMs = context.now()
  const [statusPage, components, windows] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([
      findStatusPage(tx, accountId, id),
      findComponents(tx, [id]),
      findActiveWindowsOfPages(tx, [id], nowMs),
    ]),
  )
  if (statusPage === null) return refuse('SV-3001')
  const page = pageOf(
    components.map((component) => describeComponent(component, windows, nowMs)),
    query,
  )
  return isRefusal(page) ? page : { components: page.entries, nextCursor: page.nextCursor }
}

/** One component with its current state. */
export const getComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id: statusPageId, componentId } }: RouteInput<'getComponent'>,
): Promise<Component | Refusal> =>
  inAccount(context.sql, accountId, (tx) =>
    readComponent(tx, { accountId, statusPageId, componentId }, context.now()),
  )

/**
 * Publishes a check on a page, by default under the name of the check. A private check, or one that the page
 * already publishes, is SV-3002.
 */
export const createComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: RouteInput<'createComponent'>,
): Promise<Component | Refusal> => {
  const { accountId } = writer
  const { id: statusPageId } = params
  const { checkId } = body
  return write(context, writer, createdEntry, async (tx): Promise<Component | Refusal> => {
    const found = await lockPageAndCheck(tx, accountId, { statusPageId, checkId })
    if (isRefusal(found)) return found
    // checks of private agents are never published (S-1707)
    if (found.check.private) return conflict('A private check cannot be published.')
    const nowMs = context.now()
    const componentId = uuidv7(nowMs)
    const isNew = await insertComponent(tx, {
      id: componentId,
      accountId,
      statusPageId,
      checkId,
      displayName: body.displayName ?? found.check.name,
      description: body.description ?? null,
      position: null,
      groupName: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    if (!isNew) return conflict('The page already publishes this check.')
    return readComponent(tx, { accountId, statusPageId, componentId }, nowMs)
  })
}

const createdEntry = {
  action: 'createComponent',
  resourceType: 'component',
  resourceId: ({ id }: Component) => id,
  answer: (component: Component) => component,
}

const conflict = (message: string): Refusal =>
  refuse('SV-3002', { message, errors: [{ path: 'checkId', message }] })

/** Changes the given fields of a component. */
export const updateComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id: statusPageId, componentId }, body }: RouteInput<'updateComponent'>,
): Promise<Component | Refusal> => {
  const { accountId } = writer
  const of = { accountId, statusPageId, componentId }
  const audit = {
    action: 'updateComponent',
    resourceType: 'component',
    resourceId: () => componentId,
  }
  return write(context, writer, audit, async (tx): Promise<Component | Refusal> => {
    await lockStatusPage(tx, accountId, statusPageId)
    const component = await findComponent(tx, of)
    if (component === null) return refuse('SV-3001')
    const nowMs = context.now()
    await store(tx, changed<ComponentRecord>(component, { ...body, updatedAtMs: nowMs }))
    return readComponent(tx, of, nowMs)
  })
}

/** Deletes a component. Its check keeps running (S-1707). */
export const deleteComponent = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id: statusPageId, componentId } }: RouteInput<'deleteComponent'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const { accountId } = writer
  const audit = {
    action: 'deleteComponent',
    resourceType: 'component',
    resourceId: () => componentId,
  }
  return write(context, writer, audit, async (tx) =>
    (await remove(tx, { accountId, statusPageId, componentId }))
      ? ({ id: componentId, deleted: true } as const)
      : refuse('SV-3001'),
  )
}

/** A component with its current state; SV-3001 for an unknown one. */
const readComponent = async (
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
