import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { describeStatusPage } from './describe-page.ts'
import type { StatusPageRecord } from '../page-record/page-record.ts'
import { findComponents } from '../page-record/components-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { findActiveWindowsOfPages } from '../maintenance/maintenance-store.ts'
import type { AccountContext } from '../operations/context.ts'

/** A page with its state, read where it is shown or has just been written. */
export const readStatusPage = async (
  context: Pick<AccountContext, 'rules' | 'now'>,
  db: Connection,
  page: StatusPageRecord,
): Promise<StatusPage> => {
  const nowMs = context.now()
  const [components, windows] = await Promise.all([
    findComponents(db, [page.id]),
    findActiveWindowsOfPages(db, [page.id], nowMs),
  ])
  return describeStatusPage(page, components, windows, {
    publicUrl: context.rules.publicUrl,
    nowMs,
  })
}
