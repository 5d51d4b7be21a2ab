import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeWindow } from './window.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findWindow } from './maintenance-store.ts'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { AccountContext, Caller } from '../operations/context.ts'

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
