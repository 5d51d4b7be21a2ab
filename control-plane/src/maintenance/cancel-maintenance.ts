import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeWindow } from './window.ts'
import type { WindowRecord } from './window.ts'
import { lockWindow, updateWindow } from './maintenance-store.ts'
import { insertOutbox } from '../stores/outbox-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { refuseBegun } from './refuse-begun.ts'
import { write } from '../operations/write.ts'

/**
 * Cancels a window that has not begun: it is never active, the page shows it no more, and confirmed
 * subscribers are mailed. One that was cancelled is returned unchanged; one that has begun is SV-3002 (S-1606).
 */
export const cancelMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'cancelMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const nowMs = context.now()
  const done = await write(context, writer, noted, async (tx): Promise<Cancelled | Refusal> => {
    const window = await lockWindow(tx, writer.accountId, id)
    if (window === null) return refuse('SV-3001')
    if ((window.cancelledAtMs ?? null) !== null) return { window, isNew: false }
    const begun = refuseBegun(window, nowMs)
    if (begun !== null) return begun
    const cancelled = { ...window, endsAtMs: window.startsAtMs, cancelledAtMs: nowMs }
    await updateWindow(tx, cancelled)
    const payload = { about: 'maintenance', id, news: 'cancelled', atMs: nowMs }
    await insertOutbox(tx, 'mail', payload, nowMs)
    return { window: cancelled, isNew: true }
  })
  return isRefusal(done) ? done : describeWindow(done.window, nowMs)
}

type Cancelled = { window: WindowRecord; isNew: boolean }

const noted = {
  action: 'cancelMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ window, isNew }: Cancelled) => (isNew ? window.id : null),
}
