import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ArrangeComponentsInput, Component } from '@probe-mesh/contracts/status-page/status-page'
import type { ComponentRecord } from '../records/status-page/page-record.ts'
import { findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'
import { findComponents, updateArrangement } from '../records/status-page/components-store.ts'
import { lockStatusPage } from '../records/status-page/status-pages-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { describeComponent } from './describe-page.ts'

/**
 * Sets order and groups of all components of a page. SV-3001: not a page of the account. SV-3002: the page
 * has other components than those named, because one was published or unpublished in the meantime.
 */
export const arrangeComponents = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body }: { params: { id: string }; body: ArrangeComponentsInput },
): Promise<{ components: Component[] } | Refusal> => {
  const { accountId } = writer
  const audit = { action: 'arrangeComponents', resourceType: 'status_page', resourceId: () => id }
  return write(context, writer, audit, async (tx): Promise<{ components: Component[] } | Refusal> => {
    if ((await lockStatusPage(tx, accountId, id)) === null) return refuse('SV-3001')
    const arranged = placesOf(body)
    const published = await findComponents(tx, [id])
    if (!isSameSet(idsOf(published), idsOf(arranged))) return refuse('SV-3002', { message: setChanged })
    await updateArrangement(tx, accountId, arranged)
    const nowMs = context.now()
    const [components, windows] = [
      await findComponents(tx, [id]),
      await findActiveWindowsOfPages(tx, [id], nowMs),
    ]
    return { components: components.map((component) => describeComponent(component, windows, nowMs)) }
  })
}

const setChanged = 'The components of the page changed meanwhile. Load them again, then arrange all of them.'

/** The place and group of each component, from 1. */
const placesOf = ({
  groups,
}: ArrangeComponentsInput): Pick<ComponentRecord, 'id' | 'position' | 'groupName'>[] =>
  groups
    .flatMap(({ name, componentIds }) => componentIds.map((id) => ({ id, groupName: name })))
    .map((component, at) => ({ ...component, position: at + 1 }))

const idsOf = (components: readonly { id: string }[]): Set<string> => new Set(components.map(({ id }) => id))

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && a.isSubsetOf(b)
