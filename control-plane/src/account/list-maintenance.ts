import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance'
import { describeWindow } from '../pages/window.ts'
import { inAccount } from '../postgres/in-account.ts'
import { findWindowsOfAccount } from '../postgres/maintenance.ts'
import type { AccountContext, Caller } from './context.ts'

/**
 * Windows of every page of the account, whatever their state: the one that ends last first, so that
 * the bound leaves out what is over before it leaves out what is to come.
 */
export const listMaintenance = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { limit, checkId } }: { query: { limit: number; checkId?: string | undefined } },
): Promise<{ maintenanceWindows: MaintenanceWindow[] }> => {
  const nowMs = now()
  const found = await inAccount(sql, accountId, (tx) =>
    findWindowsOfAccount(tx, accountId, { limit, checkId: checkId ?? null }),
  )
  return { maintenanceWindows: found.map((window) => describeWindow(window, nowMs)) }
}
