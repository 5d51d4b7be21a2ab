import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { windowTimes } from './window-times.ts'
import { describeWindow } from './window.ts'
import type { WindowRecord } from './window.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { findWindow, lockWindow, updateWindow } from './maintenance-store.ts'
import { insertOutbox } from '../stores/outbox-store.ts'
import { lockStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { refuseBegun } from './refuse-begun.ts'
import { strangers } from './window-scope.ts'
import { write } from '../operations/write.ts'

/**
 * Changes a window that has not begun: what is left out stays, and confirmed subscribers are mailed. A
 * window counts from its announcement, so that a new start lies ahead. One that has begun is SV-3002 (S-1606).
 */
export const updateMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body: input }: RouteInput<'updateMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const { accountId } = writer
  const nowMs = context.now()
  const changed = await write(
    context,
    writer,
    noted,
    async (tx): Promise<WindowRecord | Refusal> => {
      const found = await findWindow(tx, id)
      // pages come before windows, as for whoever announces one
      if (found === null || (await lockStatusPage(tx, accountId, found.statusPageId)) === null) {
        return refuse('SV-3001')
      }
      const window = await lockWindow(tx, accountId, id)
      if (window === null) return refuse('SV-3001')
      const begun = refuseBegun(window, nowMs)
      if (begun !== null) return begun
      const next = await changeOf(tx, window, input, nowMs)
      if (isRefusal(next)) return next
      await updateWindow(tx, next)
      await insertOutbox(
        tx,
        'mail',
        { about: 'maintenance', id, news: 'changed', atMs: nowMs },
        nowMs,
      )
      return next
    },
  )
  return isRefusal(changed) ? changed : describeWindow(changed, nowMs)
}

const changeOf = async (
  tx: Transaction,
  window: WindowRecord,
  input: RouteInput<'updateMaintenance'>['body'],
  nowMs: number,
): Promise<WindowRecord | Refusal> => {
  const { title, body, startsAt = window.startsAtMs, durationMinutes, componentIds } = input
  const end =
    durationMinutes === undefined
      ? { endsAt: input.endsAt ?? window.endsAtMs }
      : { durationMinutes }
  const { startsAtMs, endsAtMs, problems } = windowTimes({ startsAt, ...end }, nowMs)
  const errors = [
    ...(startsAtMs <= nowMs ? [{ path: 'startsAt', message: 'must lie ahead' }] : []),
    ...problems,
    ...(await strangers(tx, window.statusPageId, componentIds ?? [])),
  ]
  if (errors.length > 0) return refuse('SV-2001', { errors })
  return {
    ...window,
    title: title ?? window.title,
    body: body ?? window.body,
    startsAtMs,
    endsAtMs,
    ...(componentIds !== undefined && { componentIds, wholePage: componentIds.length === 0 }),
  }
}

const noted = {
  action: 'updateMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ id }: WindowRecord) => id,
}
