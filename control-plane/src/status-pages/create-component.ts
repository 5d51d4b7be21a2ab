import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { insertComponent } from '../page-record/components-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { lockPageAndCheck } from '../page-record/lock-page-and-check.ts'
import { readComponent } from './read-component.ts'
import { write } from '../operations/write.ts'

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
  return write(context, writer, noted, async (tx): Promise<Component | Refusal> => {
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

const noted = {
  action: 'createComponent',
  resourceType: 'component',
  resourceId: ({ id }: Component) => id,
  answer: (component: Component) => component,
}

const conflict = (message: string): Refusal =>
  refuse('SV-3002', { message, errors: [{ path: 'checkId', message }] })
