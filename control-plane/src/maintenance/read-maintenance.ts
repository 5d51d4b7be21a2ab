import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeWindow, type WindowRecord } from './window.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findWindow, findActiveWindowsOfPages, findWindowsOfAccount } from './maintenance-store.ts'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { findStatusPage } from '../records/status-page/status-pages-store.ts'
import { cutPage, refuseCursor, timeCursor } from '../accounts/operations/page-of.ts'

/** One window in any state. Another account's is SV-3001, like an unknown one. */
export const getMaintenance = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: RouteInput<'getMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const window = await inAccount(sql, accountId, (tx) => findWindow(tx, id))
  return window === null || window.accountId !== accountId ? refuse('SV-3001') : describeWindow(window, now())
}

/** The active window of a page, of several the one that ends last; null: none (S-1607). */
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

/**
 * Windows of all pages of the account in any state, by latest end first, so that the limit cuts off ended
 * windows before future ones. A page that is not the account's is SV-3001.
 */
export const listMaintenance = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { limit, checkId, statusPageId, state, cursor } }: RouteInput<'listMaintenance'>,
): Promise<{ maintenanceWindows: MaintenanceWindow[]; nextCursor: string | null } | Refusal> => {
  const after = cursor === undefined ? undefined : timeCursor.parse(cursor)
  if (after === null) return refuseCursor
  const nowMs = now()
  const found = await inAccount(sql, accountId, async (tx): Promise<WindowRecord[] | null> => {
    const isMissing =
      statusPageId !== undefined && (await findStatusPage(tx, accountId, statusPageId)) === null
    if (isMissing) return null
    return findWindowsOfAccount(tx, accountId, {
      limit: limit + 1,
      checkId: checkId ?? null,
      statusPageId: statusPageId ?? null,
      state: state === undefined ? null : { is: state, nowMs },
      after: after === undefined ? null : { endsAtMs: after[0], id: after[1] },
    })
  })
  if (found === null) return refuse('SV-3001')
  const { entries, next } = cutPage(found, limit, ({ endsAtMs, id }) => timeCursor.format([endsAtMs, id]))
  return { maintenanceWindows: entries.map((window) => describeWindow(window, nowMs)), nextCursor: next }
}
