import type { StatusPage } from '@probe-mesh/contracts/status-page'
import { describeStatusPage } from '../pages/describe-page.ts'
import type { StatusPageRecord } from '../pages/page-record.ts'
import { findComponents } from '../postgres/components.ts'
import type { Connection } from '../postgres/connect.ts'
import { findActiveWindowsOfPages } from '../postgres/maintenance.ts'
import type { AccountContext } from './context.ts'

/** A page with its state, read where it is shown or has just been written. */
export const readStatusPage = async (
  context: Pick<AccountContext, 'rules' | 'now'>,
  connection: Connection,
  page: StatusPageRecord,
): Promise<StatusPage> => {
  const nowMs = context.now()
  const [components, windows] = await Promise.all([
    findComponents(connection, [page.id]),
    findActiveWindowsOfPages(connection, [page.id], nowMs),
  ])
  return describeStatusPage(page, components, windows, {
    publicUrl: context.rules.publicUrl,
    nowMs,
  })
}
