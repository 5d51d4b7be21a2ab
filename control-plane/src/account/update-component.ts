import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import type { Component } from '@probe-mesh/contracts/status-page'
import { changed } from '../pages/changed.ts'
import type { ComponentRecord } from '../pages/page-record.ts'
import { findComponent, updateComponent as store } from '../postgres/components.ts'
import { lockStatusPage } from '../postgres/status-pages.ts'
import type { AccountContext, Writer } from './context.ts'
import { readComponent } from './read-component.ts'
import { write } from './write.ts'

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
