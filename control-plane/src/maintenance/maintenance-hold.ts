import type { Connection } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A maintenance window that covers a check, from its start (inclusive) to its end (exclusive). */
export type HoldingWindow = { startsAtMs: number; endsAtMs: number }

/** Whether maintenance holds alerts at an instant (S-1604). */
export const isCovered = (windows: readonly HoldingWindow[], atMs: number): boolean =>
  windows.some((window) => window.startsAtMs <= atMs && atMs < window.endsAtMs)

/** A window may be ended early, so held work is checked again at this interval. */
const recheckMs = 15_000

/** When to process work again that is due at `dueMs` but may be held at `nowMs`. */
export const nextLookMs = (windows: readonly HoldingWindow[], dueMs: number, nowMs: number): number => {
  if (dueMs > nowMs || !isCovered(windows, nowMs)) return dueMs
  const ends = windows.filter((window) => isCovered([window], nowMs)).map((w) => w.endsAtMs)
  return Math.min(nowMs + recheckMs, ...ends)
}

/** A window of one page that covers a check. */
export type PageWindow = HoldingWindow & { statusPageId: string; checkId: string }

/** Joins the components of pages with the windows that cover them. */
const coveredComponents = (db: Connection) => db`
  components join maintenance_windows as windows on windows.status_page_id = components.status_page_id
    and (windows.whole_page or exists (
      select from maintenance_components as named
      where named.window_id = windows.id and named.component_id = components.id))`

/** The checks of an account that maintenance of any page covers at an instant. */
export const findChecksInMaintenance = async (
  db: Connection,
  accountId: string,
  atMs: number,
): Promise<Set<string>> => {
  const rows = await db<{ id: string }[]>`
    select distinct components.check_id as id from ${coveredComponents(db)}
    where windows.account_id = ${accountId}
      and windows.starts_at <= ${new Date(atMs)} and windows.ends_at > ${new Date(atMs)}`
  return new Set(rows.map(({ id }) => id))
}

/** The maintenance windows that cover these checks at some time from `fromMs` to `toMs`, by page. */
export const findPageWindows = async (
  db: Connection,
  checkIds: readonly string[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<PageWindow[]> =>
  await db<PageWindow[]>`
    select components.status_page_id as "statusPageId", components.check_id as "checkId",
      ${epochMs(db, 'windows.starts_at')} as "startsAtMs", ${epochMs(db, 'windows.ends_at')} as "endsAtMs"
    from ${coveredComponents(db)}
    where components.check_id = any(${[...checkIds]}::uuid[])
      and windows.starts_at <= ${new Date(toMs)} and windows.ends_at > ${new Date(fromMs)}`

/** The maintenance windows that cover each of these checks at some time from `fromMs` to `toMs`. */
export const findHoldingWindows = async (
  db: Connection,
  checkIds: readonly string[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Map<string, HoldingWindow[]>> => {
  const found = await findPageWindows(db, checkIds, { fromMs, toMs })
  return Map.groupBy(found, ({ checkId }) => checkId)
}
