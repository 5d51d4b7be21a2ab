import type { SubscriberCount, Subscriber } from '@probe-mesh/contracts/subscriber/subscriber'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** The columns of a `SubscriberRecord`. */
const subscriberColumns = (db: Connection) => db`
  id, status_page_id as "statusPageId", component_id as "componentId", email,
  ${epochMs(db, 'created_at')} as "createdAtMs", ${epochMs(db, 'confirmed_at')} as "confirmedAtMs",
  ${epochMs(db, 'confirm_before')} as "confirmBeforeMs"`

/** Selects by page, which is indexed. Expired unconfirmed subscriptions count as deleted. */
const ofAccount = (db: Connection, accountId: string, nowMs: number) => db`
  status_page_id = any(array(select id from status_pages where account_id = ${accountId}))
    and (confirmed_at is not null or confirm_before > ${new Date(nowMs)})`

/**
 * Subscriptions to an account's pages, newest first.
 * @param part.before the id of the last one of the previous page; ids sort by time (RFC 9562)
 */
export const findSubscribersOfAccount = async (
  db: Connection,
  accountId: string,
  part: { statusPageId: string | null; before: string | null; limit: number },
  nowMs: number,
): Promise<SubscriberRecord[]> => {
  const { statusPageId, before, limit } = part
  return await db<SubscriberRecord[]>`
    select ${subscriberColumns(db)} from subscribers
    where ${ofAccount(db, accountId, nowMs)}
      and (${statusPageId}::uuid is null or status_page_id = ${statusPageId})
      and (${before}::uuid is null or id < ${before})
    order by id desc limit ${limit}`
}

/** The number of subscriptions of each page; a page without any has no row. */
export const countSubscribersOfAccount = async (
  db: Connection,
  accountId: string,
  nowMs: number,
): Promise<SubscriberCount[]> =>
  await db<SubscriberCount[]>`
    select status_page_id as "statusPageId", count(confirmed_at)::integer as confirmed,
      count(*) filter (where confirmed_at is null)::integer as unconfirmed
    from subscribers where ${ofAccount(db, accountId, nowMs)}
    group by status_page_id order by status_page_id`

/** One subscription to a page of the account; null: another account's, or unknown. */
export const findSubscriberOfAccount = async (
  db: Connection,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<SubscriberRecord | null> => {
  const [row] = await db<SubscriberRecord[]>`
    select ${subscriberColumns(db)} from subscribers where id = ${id} and ${ofAccount(db, accountId, nowMs)}`
  return row ?? null
}

/** @returns false when the account has no such subscription */
export const deleteSubscriberOfAccount = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<boolean> => {
  const rows = await tx`
    delete from subscribers where id = ${id} and account_id = ${accountId}`
  return rows.count === 1
}

/** A subscription as it is stored, without its link. Times are Unix milliseconds. */
export type SubscriberRecord = {
  id: string
  statusPageId: string
  /** null: the whole page. */
  componentId: string | null
  email: string
  createdAtMs: number
  confirmedAtMs: number | null
  confirmBeforeMs: number
}

/** A subscription as the account of its page sees it. */
export const describeSubscriber = ({
  createdAtMs,
  confirmedAtMs,
  confirmBeforeMs,
  ...shared
}: SubscriberRecord): Subscriber => ({
  ...shared,
  createdAt: new Date(createdAtMs).toISOString(),
  confirmedAt: confirmedAtMs === null ? null : new Date(confirmedAtMs).toISOString(),
  confirmBefore: confirmedAtMs === null ? new Date(confirmBeforeMs).toISOString() : null,
})
