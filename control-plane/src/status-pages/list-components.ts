import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import { describeComponent } from './describe-page.ts'
import { findComponents } from '../page-record/components-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'
import { findStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

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
