import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { windowTimes } from './window-times.ts'
import { describeWindow } from './window.ts'
import type { WindowRecord } from './window.ts'
import { insertWindow } from './maintenance-store.ts'
import { insertOutbox } from '../stores/outbox-store.ts'
import { lockStatusPage } from '../page-record/status-pages-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { strangers } from './window-scope.ts'
import { write } from '../operations/write.ts'

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
