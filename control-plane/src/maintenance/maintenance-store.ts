import type { MaintenanceState } from '@probe-mesh/contracts/maintenance/maintenance'
import type { WindowRecord } from './window.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** The columns of a `WindowRecord`. */
export const windowColumns = (db: Connection) => db`
  id, account_id as "accountId", status_page_id as "statusPageId", title, body, note,
  ${epochMs(db, 'starts_at')} as "startsAtMs", ${epochMs(db, 'ends_at')} as "endsAtMs",
  ${epochMs(db, 'created_at')} as "createdAtMs", ${epochMs(db, 'cancelled_at')} as "cancelledAtMs",
  revision, ${epochMs(db, 'changed_at')} as "changedAtMs", whole_page as "wholePage", array(
    select component_id from maintenance_components
    where window_id = maintenance_windows.id order by position) as "componentIds"`

const windows = (db: Connection) => db`select ${windowColumns(db)} from maintenance_windows`

export const insertWindow = async (tx: Transaction, window: WindowRecord): Promise<void> => {
  await tx`
    insert into maintenance_windows (id, account_id, status_page_id, title, body, note, starts_at, ends_at,
      whole_page, created_at)
    values (${window.id}, ${window.accountId}, ${window.statusPageId}, ${window.title},
      ${window.body}, ${window.note ?? null}, ${new Date(window.startsAtMs)}, ${new Date(window.endsAtMs)},
      ${window.wholePage}, ${new Date(window.createdAtMs)})`
  await insertScope(tx, window)
}

const insertScope = async (tx: Transaction, { accountId, id, componentIds }: WindowRecord): Promise<void> => {
  await tx`
    insert into maintenance_components (account_id, window_id, component_id, position)
    select ${accountId}, ${id}, component_id, position
    from unnest(${[...componentIds]}::uuid[]) with ordinality as named (component_id, position)`
}

/** Updates a window with its components, as its next revision. */
export const updateWindow = async (tx: Transaction, window: WindowRecord, nowMs: number): Promise<void> => {
  const { cancelledAtMs = null } = window
  await tx`
    update maintenance_windows set title = ${window.title}, body = ${window.body}, note = ${window.note ?? null},
      starts_at = ${new Date(window.startsAtMs)}, ends_at = ${new Date(window.endsAtMs)},
      whole_page = ${window.wholePage}, revision = revision + 1, changed_at = ${new Date(nowMs)},
      cancelled_at = ${cancelledAtMs === null ? null : new Date(cancelledAtMs)}
    where id = ${window.id}`
  await tx`delete from maintenance_components where window_id = ${window.id}`
  await insertScope(tx, window)
}

/** Changes what visitors do not read, so that the window keeps its revision. */
export const updateWindowNote = async (
  tx: Transaction,
  { id, note }: Pick<WindowRecord, 'id' | 'note'>,
): Promise<void> => {
  await tx`update maintenance_windows set note = ${note ?? null} where id = ${id}`
}

/** One window of any account that the connection may read. */
export const findWindow = async (db: Connection, windowId: string): Promise<WindowRecord | null> => {
  const [row] = await db<WindowRecord[]>`
    ${windows(db)} where id = ${windowId}`
  return row ?? null
}

/**
 * Windows of an account in any state, by latest end first, so that the limit cuts off ended windows before
 * future ones.
 * @param filter.checkId only windows that cover this check; no window covers unpublished components
 * @param filter.after the end of the previous page
 */
export const findWindowsOfAccount = async (
  db: Connection,
  accountId: string,
  filter: {
    limit: number
    checkId?: string | null
    statusPageId?: string | null
    state?: { is: MaintenanceState; nowMs: number } | null
    after?: { endsAtMs: number; id: string } | null
  },
): Promise<WindowRecord[]> => {
  const { limit, checkId = null, statusPageId = null, state = null, after = null } = filter
  const none = db``
  const ofPage = statusPageId === null ? none : db`and status_page_id = ${statusPageId}`
  const behind =
    after === null ? none : db`and (ends_at, id) < (${new Date(after.endsAtMs)}, ${after.id}::uuid)`
  const inState = state === null ? none : stateIs(db, state.is, new Date(state.nowMs))
  const covering =
    checkId === null
      ? db``
      : db`and exists (
          select from components
          where components.check_id = ${checkId}
            and components.status_page_id = maintenance_windows.status_page_id
            and (whole_page or exists (
              select from maintenance_components as named
              where named.window_id = maintenance_windows.id and named.component_id = components.id)))`
  return await db<WindowRecord[]>`
    ${windows(db)} where account_id = ${accountId} ${covering} ${ofPage} ${inState} ${behind}
    order by ends_at desc, id desc limit ${limit}`
}

const stateIs = (db: Connection, state: MaintenanceState, at: Date) => {
  switch (state) {
    case 'scheduled':
      return db`and starts_at > ${at} and cancelled_at is null`
    case 'active':
      return db`and starts_at <= ${at} and ends_at > ${at}`
    case 'ended':
      return db`and (ends_at <= ${at} or cancelled_at is not null)`
    default:
      return state satisfies never
  }
}

/** The window, locked until the transaction ends. Another account's is null like a missing one. */
export const lockWindow = async (
  tx: Transaction,
  accountId: string,
  windowId: string,
): Promise<WindowRecord | null> => {
  const [row] = await tx<WindowRecord[]>`
    ${windows(tx)} where id = ${windowId} and account_id = ${accountId}
    for no key update of maintenance_windows`
  return row ?? null
}

/** Ends a window at an instant, as its next revision. */
export const updateWindowEnd = async (tx: Transaction, windowId: string, endsAtMs: number): Promise<void> => {
  await tx`
    update maintenance_windows set ends_at = ${new Date(endsAtMs)}, revision = revision + 1,
      changed_at = ${new Date(endsAtMs)}
    where id = ${windowId}`
}

/** The active windows of these pages, the one that ends last first. */
export const findActiveWindowsOfPages = async (
  db: Connection,
  statusPageIds: readonly string[],
  nowMs: number,
): Promise<WindowRecord[]> => {
  const at = new Date(nowMs)
  return await db<WindowRecord[]>`
    ${windows(db)}
    where status_page_id = any(${[...statusPageIds]}::uuid[])
      and starts_at <= ${at} and ends_at > ${at}
    order by ends_at desc, id desc`
}

/** The active windows of every page of an account, the one that ends last first. */
export const findActiveWindowsOfAccount = async (
  db: Connection,
  accountId: string,
  nowMs: number,
): Promise<WindowRecord[]> => {
  const at = new Date(nowMs)
  return await db<WindowRecord[]>`
    ${windows(db)}
    where account_id = ${accountId} and starts_at <= ${at} and ends_at > ${at}
    order by ends_at desc, id desc`
}
