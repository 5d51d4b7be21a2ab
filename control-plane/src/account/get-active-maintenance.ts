import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { describeWindow } from '../pages/window.ts'
import { inAccount } from '../postgres/in-account.ts'
import { findActiveWindowsOfPages } from '../postgres/maintenance.ts'
import { findStatusPage } from '../postgres/status-pages.ts'
import type { AccountContext, Caller } from './context.ts'

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
