import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeWindow } from './window.ts'
import type { WindowRecord } from './window.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findWindowsOfAccount } from './maintenance-store.ts'
import { findStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { formatWindowCursor, parseWindowCursor } from './window-cursor.ts'

/**
 * Windows of every page of the account, whatever their state: the one that ends last first, so that
 * the bound leaves out what is over before it leaves out what is to come. A page that is not the
 * account's is SV-3001.
 */
export const listMaintenance = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { limit, checkId, statusPageId, state, cursor } }: RouteInput<'listMaintenance'>,
): Promise<{ maintenanceWindows: MaintenanceWindow[]; nextCursor: string | null } | Refusal> => {
  const after = cursor === undefined ? undefined : parseWindowCursor(cursor)
  if (after === null) {
    const message = 'is not a cursor of this API'
    return refuse('SV-2001', { errors: [{ path: 'cursor', message }] })
  }
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
      after: after ?? null,
    })
  })
  if (found === null) return refuse('SV-3001')
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    maintenanceWindows: shown.map((window) => describeWindow(window, nowMs)),
    nextCursor: found.length > limit && last !== undefined ? formatWindowCursor(last) : null,
  }
}
