import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeWindow } from './window.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findActiveWindowsOfPages } from './maintenance-store.ts'
import { findStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/**
 * The active window of a page, of several the one that ends last; null where there is none (S-1607).
 */
export const getActiveMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { statusPageId } }: RouteInput<'getActiveMaintenance'>,
): Promise<MaintenanceWindow | Refusal | null> => {
  const nowMs = context.now()
  const [page, [window]] = await inAccount(context.sql, accountId, (tx) =>
    Promise.all([
      findStatusPage(tx, accountId, statusPageId),
      findActiveWindowsOfPages(tx, [statusPageId], nowMs),
    ]),
  )
  if (page === null) return refuse('SV-3001')
  return window === undefined ? null : describeWindow(window, nowMs)
}
