import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** A subscription with its page. Times are Unix milliseconds. */
export type Subscriber = {
  id: string
  accountId: string
  pageId: string
  pageName: string
  pageSlug: string
  componentName: string | null
  confirmed: boolean
  confirmBeforeMs: number
}

/** The subject of a subscription: a page, or one of its components. */
export type SubscribedTo = {
  accountId: string
  pageId: string
  pageName: string
  locale: string
  componentId: string | null
  componentName: string | null
}

/** Finds the subject of a subscription. @returns null: unknown page; a null component: unknown component */
export const findSubscribedTo = async (
  db: Connection,
  slug: string,
  componentId: string | null,
): Promise<SubscribedTo | null> => {
  const [row] = await db<SubscribedTo[]>`
    select status_pages.account_id as "accountId", status_pages.id as "pageId",
      coalesce(status_pages.title, status_pages.name) as "pageName", status_pages.locale,
      components.id as "componentId", components.display_name as "componentName"
    from status_pages left join components
      on components.status_page_id = status_pages.id and components.id = ${componentId}
    where status_pages.slug = ${slug}`
  return row ?? null
}

/** Like the column `mailbox`: the address without the part after `+`. */
const mailboxOf = (db: Connection, email: string) => db`lower(regexp_replace(${email}, '\\+[^@]*@', '@'))`

/** Serialises requests for the same mailbox until the transaction ends, so that its mails are counted. */
export const lockAddress = async (tx: Transaction, email: string): Promise<void> => {
  await tx`
    select pg_advisory_xact_lock(
      hashtextextended('subscriber ' || ${mailboxOf(tx, email)}, 0))`
}

/** The number of links mailed to a mailbox after an instant, for all pages. */
export const countConfirmationMails = async (
  db: Connection,
  email: string,
  afterMs: number,
): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from subscribers, unnest(asked_at) as at
    where mailbox = ${mailboxOf(db, email)} and at > ${new Date(afterMs)}`
  return row?.count ?? 0
}

/** Whether a page has at least `count` unconfirmed subscribers. */
export const hasUnconfirmed = async (db: Connection, pageId: string, count: number): Promise<boolean> => {
  const rows = await db`
    select from subscribers where status_page_id = ${pageId} and confirmed_at is null
    offset ${count} - 1 limit 1`
  return rows.length > 0
}

/**
 * Writes a subscription, or a new link for an unconfirmed one: only the newest link works.
 * @param subscription.forgetBeforeMs links mailed before this no longer count
 * @returns the subscriber's id; null: it is confirmed already and stays unchanged
 */
export const upsertSubscriber = async (
  tx: Transaction,
  subscription: {
    id: string
    to: SubscribedTo
    email: string
    confirmHash: Uint8Array
    confirmBeforeMs: number
    forgetBeforeMs: number
    nowMs: number
  },
): Promise<string | null> => {
  const { id, to, email, confirmHash, confirmBeforeMs, forgetBeforeMs, nowMs } = subscription
  const [row] = await tx<{ id: string }[]>`
    insert into subscribers (id, account_id, status_page_id, component_id, email, confirm_hash,
      confirm_before, asked_at, created_at)
    values (${id}, ${to.accountId}, ${to.pageId}, ${to.componentId}, ${email}, ${confirmHash},
      ${new Date(confirmBeforeMs)}, array[${new Date(nowMs)}::timestamptz], ${new Date(nowMs)})
    on conflict (status_page_id, coalesce(component_id, '00000000-0000-0000-0000-000000000000'),
      lower(email))
    do update set confirm_hash = excluded.confirm_hash, confirm_before = excluded.confirm_before,
      asked_at = excluded.asked_at || array(
        select at from unnest(subscribers.asked_at) as at where at > ${new Date(forgetBeforeMs)})
    where subscribers.confirmed_at is null
    returning id`
  return row?.id ?? null
}

const subscriberColumns = (db: Connection) => db`
  subscribers.id, subscribers.account_id as "accountId", status_pages.id as "pageId",
  coalesce(status_pages.title, status_pages.name) as "pageName", status_pages.slug as "pageSlug",
  components.display_name as "componentName", subscribers.confirmed_at is not null as confirmed,
  (extract(epoch from subscribers.confirm_before) * 1000)::float8 as "confirmBeforeMs"`

/** The subscriber whose newest confirmation link this is. */
export const findByConfirmHash = async (
  db: Connection,
  confirmHash: Uint8Array,
): Promise<Subscriber | null> => {
  const [row] = await db<Subscriber[]>`
    select ${subscriberColumns(db)}
    from subscribers join status_pages on status_pages.id = subscribers.status_page_id
      left join components on components.id = subscribers.component_id
    where subscribers.confirm_hash = ${confirmHash}`
  return row ?? null
}

export const findSubscriber = async (db: Connection, id: string): Promise<Subscriber | null> => {
  const [row] = await db<Subscriber[]>`
    select ${subscriberColumns(db)}
    from subscribers join status_pages on status_pages.id = subscribers.status_page_id
      left join components on components.id = subscribers.component_id
    where subscribers.id = ${id}`
  return row ?? null
}

export const confirmSubscriber = async (db: Connection, id: string, nowMs: number): Promise<void> => {
  await db`
    update subscribers set confirmed_at = ${new Date(nowMs)}
    where id = ${id} and confirmed_at is null`
}

export const deleteSubscriber = async (db: Connection, id: string): Promise<void> => {
  await db`delete from subscribers where id = ${id}`
}

/** Deletes subscriptions that were not confirmed in time. @returns how many */
export const deleteUnconfirmed = async (db: Connection, nowMs: number): Promise<number> => {
  const rows = await db`
    delete from subscribers where confirmed_at is null and confirm_before <= ${new Date(nowMs)}`
  return rows.count
}
