import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { describeWindow } from '../pages/window.ts'
import { inAccount } from '../postgres/in-account.ts'
import { findWindow } from '../postgres/maintenance.ts'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import type { AccountContext, Caller } from './context.ts'

/** One window, whatever its state. Another account's is SV-3001, like one that never was. */
export const getMaintenance = async (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: RouteInput<'getMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const window = await inAccount(sql, accountId, (tx) => findWindow(tx, id))
  return window === null || window.accountId !== accountId
    ? refuse('SV-3001')
    : describeWindow(window, now())
}
