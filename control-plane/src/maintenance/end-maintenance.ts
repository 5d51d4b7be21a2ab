import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeWindow, windowState } from './window.ts'
import type { WindowRecord } from './window.ts'
import { lockWindow, updateWindowEnd } from './maintenance-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/**
 * Ends an active window now; one that has not begun or is over is returned as it is (S-1605).
 */
export const endMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'endMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const nowMs = context.now()
  const ended = await write(context, writer, noted, async (tx): Promise<Ended | Refusal> => {
    const window = await lockWindow(tx, writer.accountId, id)
    if (window === null) return refuse('SV-3001')
    if (windowState(window, nowMs) !== 'active') return { window, isEndedNow: false }
    await updateWindowEnd(tx, id, nowMs)
    return { window: { ...window, endsAtMs: nowMs }, isEndedNow: true }
  })
  return isRefusal(ended) ? ended : describeWindow(ended.window, nowMs)
}

type Ended = { window: WindowRecord; isEndedNow: boolean }

const noted = {
  action: 'endMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ window, isEndedNow }: Ended) => (isEndedNow ? window.id : null),
}
