import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import type { Component } from '@probe-mesh/contracts/status-page'
import { describeComponent } from '../pages/describe-page.ts'
import { findComponents } from '../postgres/components.ts'
import { inAccount } from '../postgres/in-account.ts'
import { findActiveWindowsOfPages } from '../postgres/maintenance.ts'
import { findStatusPage } from '../postgres/status-pages.ts'
import type { AccountContext, Caller } from './context.ts'

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
