import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { changed } from '@probe-mesh/runtime/changed'
import type { ComponentRecord } from '../page-record/page-record.ts'
import { findComponent, updateComponent as store } from '../page-record/components-store.ts'
import { lockStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { readComponent } from './read-component.ts'
import { write } from '../operations/write.ts'

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
