import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { windowTimes } from '../pages/window-times.ts'
import { describeWindow } from '../pages/window.ts'
import type { WindowRecord } from '../pages/window.ts'
import { insertWindow } from '../postgres/maintenance.ts'
import { insertOutbox } from '../postgres/outbox.ts'
import { lockStatusPage } from '../postgres/status-pages.ts'
import type { AccountContext, Writer } from './context.ts'
import { strangers } from './window-scope.ts'
import { write } from './write.ts'

/**
 * Announces maintenance: alerts of what it covers are held, checks are still measured, and confirmed
 * subscribers are mailed (S-1603, S-1604). Without components it is for the whole page.
 * Refused in this order: a page that is not the account's SV-3001; times and components, every
 * problem of both, SV-2001.
 */
export const createMaintenance = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body: input }: RouteInput<'createMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const { accountId } = writer
  const { statusPageId, title, body, componentIds = [] } = input
  return write(context, writer, noted, async (tx): Promise<MaintenanceWindow | Refusal> => {
    const page = await lockStatusPage(tx, accountId, statusPageId)
    if (page === null) return refuse('SV-3001')
    const nowMs = context.now()
    const { startsAtMs, endsAtMs, problems } = windowTimes(input, nowMs)
    const errors = [...problems, ...(await strangers(tx, statusPageId, componentIds))]
    if (errors.length > 0) return refuse('SV-2001', { errors })
    const window: WindowRecord = {
      id: uuidv7(nowMs),
      accountId,
      statusPageId,
      title,
      body,
      startsAtMs,
      endsAtMs,
      wholePage: componentIds.length === 0,
      componentIds,
      createdAtMs: nowMs,
    }
    await insertWindow(tx, window)
    await insertOutbox(tx, 'mail', { about: 'maintenance', id: window.id }, nowMs)
    return describeWindow(window, nowMs)
  })
}

const noted = {
  action: 'createMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ id }: MaintenanceWindow) => id,
  answer: (window: MaintenanceWindow) => window,
}
