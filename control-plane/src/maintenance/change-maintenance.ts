import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { refuse, isRefusal, type Refusal, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { windowTimes, describeWindow, windowState, type WindowRecord } from './window.ts'
import {
  insertWindow,
  findWindow,
  lockWindow,
  updateWindow,
  updateWindowEnd,
  updateWindowNote,
} from './maintenance-store.ts'
import { insertOutbox } from '../stores/outbox-store.ts'
import { lockStatusPage } from '../records/status-page/status-pages-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { findComponents } from '../records/status-page/components-store.ts'

/**
 * Announces maintenance and mails confirmed subscribers. Alerts of the covered checks are held; the checks
 * are still measured (S-1603, S-1604). Without components it covers the whole page. Refused in this order:
 * a page that is not the account's SV-3001; all problems of times and components SV-2001.
 */
export const createMaintenance = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body: input }: RouteInput<'createMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const { accountId } = writer
  const { statusPageId, title, body, componentIds = [], note = null } = input
  return write(context, writer, createdEntry, async (tx): Promise<MaintenanceWindow | Refusal> => {
    const page = await lockStatusPage(tx, accountId, statusPageId)
    if (page === null) return refuse('SV-3001')
    const nowMs = context.now()
    const { startsAtMs, endsAtMs, problems } = windowTimes(input, nowMs)
    const errors = [...problems, ...(await unknownComponents(tx, statusPageId, componentIds))]
    if (errors.length > 0) return refuse('SV-2001', { errors })
    const window: WindowRecord = {
      id: uuidv7(nowMs),
      accountId,
      statusPageId,
      title,
      body,
      note,
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

const createdEntry = {
  action: 'createMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ id }: MaintenanceWindow) => id,
  answer: (window: MaintenanceWindow) => window,
}

/**
 * Changes the given fields of a window that has not started, and mails confirmed subscribers. The new start
 * must be in the future, because a window counts from its announcement. A started window is SV-3002
 * (S-1606), unless only its note changes, which is for the account alone.
 */
export const updateMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body: input }: RouteInput<'updateMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const { accountId } = writer
  const nowMs = context.now()
  const changed = await write(context, writer, changedEntry, async (tx): Promise<WindowRecord | Refusal> => {
    const found = await findWindow(tx, id)
    // pages are locked before windows, as when one is created
    if (found === null || (await lockStatusPage(tx, accountId, found.statusPageId)) === null) {
      return refuse('SV-3001')
    }
    const window = await lockWindow(tx, accountId, id)
    if (window === null) return refuse('SV-3001')
    const { note, ...announced } = input
    if (note !== undefined && Object.keys(announced).length === 0) {
      await updateWindowNote(tx, { id, note })
      return { ...window, note }
    }
    const started = refuseStarted(window, nowMs)
    if (started !== null) return started
    const next = await changeOf(tx, window, input, nowMs)
    if (isRefusal(next)) return next
    await updateWindow(tx, next, nowMs)
    await insertOutbox(tx, 'mail', { about: 'maintenance', id, news: 'changed', atMs: nowMs }, nowMs)
    return next
  })
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
    durationMinutes === undefined ? { endsAt: input.endsAt ?? window.endsAtMs } : { durationMinutes }
  const { startsAtMs, endsAtMs, problems } = windowTimes({ startsAt, ...end }, nowMs)
  const errors = [
    ...(startsAtMs <= nowMs ? [{ path: 'startsAt', message: 'must be in the future' }] : []),
    ...problems,
    ...(await unknownComponents(tx, window.statusPageId, componentIds ?? [])),
  ]
  if (errors.length > 0) return refuse('SV-2001', { errors })
  return {
    ...window,
    title: title ?? window.title,
    body: body ?? window.body,
    ...(input.note !== undefined && { note: input.note }),
    startsAtMs,
    endsAtMs,
    ...(componentIds !== undefined && { componentIds, wholePage: componentIds.length === 0 }),
  }
}

const changedEntry = {
  action: 'updateMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ id }: WindowRecord) => id,
}

/** Ends an active window now. A window in another state is returned unchanged (S-1605). */
export const endMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'endMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const ended = await write(context, writer, endedEntry, async (tx): Promise<Ended | Refusal> => {
    const window = await lockWindow(tx, writer.accountId, id)
    if (window === null) return refuse('SV-3001')
    // after the lock: one that was asked earlier and waited would move the end back
    const nowMs = context.now()
    if (windowState(window, nowMs) !== 'active') return { window, isEndedNow: false }
    await updateWindowEnd(tx, id, nowMs)
    return { window: { ...window, endsAtMs: nowMs }, isEndedNow: true }
  })
  return isRefusal(ended) ? ended : describeWindow(ended.window, context.now())
}

type Ended = { window: WindowRecord; isEndedNow: boolean }

const endedEntry = {
  action: 'endMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ window, isEndedNow }: Ended) => (isEndedNow ? window.id : null),
}

/**
 * Cancels a window that has not started: it never becomes active, the page no longer shows it, and confirmed
 * subscribers are mailed. A cancelled window is returned unchanged; a started one is SV-3002 (S-1606).
 */
export const cancelMaintenance = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'cancelMaintenance'>,
): Promise<MaintenanceWindow | Refusal> => {
  const nowMs = context.now()
  const done = await write(context, writer, cancelledEntry, async (tx): Promise<Cancelled | Refusal> => {
    const window = await lockWindow(tx, writer.accountId, id)
    if (window === null) return refuse('SV-3001')
    if ((window.cancelledAtMs ?? null) !== null) return { window, isNew: false }
    const started = refuseStarted(window, nowMs)
    if (started !== null) return started
    const cancelled = { ...window, endsAtMs: window.startsAtMs, cancelledAtMs: nowMs }
    await updateWindow(tx, cancelled, nowMs)
    const payload = { about: 'maintenance', id, news: 'cancelled', atMs: nowMs }
    await insertOutbox(tx, 'mail', payload, nowMs)
    return { window: cancelled, isNew: true }
  })
  return isRefusal(done) ? done : describeWindow(done.window, nowMs)
}

type Cancelled = { window: WindowRecord; isNew: boolean }

const cancelledEntry = {
  action: 'cancelMaintenance',
  resourceType: 'maintenance_window',
  resourceId: ({ window, isNew }: Cancelled) => (isNew ? window.id : null),
}

/** Refuses a change of a window that has started, ended or was cancelled; null: it has not started. */
const refuseStarted = (window: WindowRecord, nowMs: number): Refusal | null => {
  switch (windowState(window, nowMs)) {
    case 'scheduled':
      return null
    case 'active':
      return refuse('SV-3002', {
        message: 'The window has started. Use DELETE /maintenance/:id to end it now.',
      })
    case 'ended': {
      const isCancelled = (window.cancelledAtMs ?? null) !== null
      const message = isCancelled ? 'The window was cancelled.' : 'The window has ended.'
      return refuse('SV-3002', { message })
    }
  }
}

/** A problem for each id that is not a component of the page. */
const unknownComponents = async (
  tx: Transaction,
  statusPageId: string,
  componentIds: readonly string[],
): Promise<FieldProblem[]> => {
  if (componentIds.length === 0) return []
  const published = await findComponents(tx, [statusPageId])
  const known = new Set(published.map(({ id }) => id))
  return componentIds.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `componentIds[${index}]`, message: 'is not a component of this status page' }],
  )
}
