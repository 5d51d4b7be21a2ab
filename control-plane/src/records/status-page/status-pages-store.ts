import type { StatusPageRecord } from './page-record.ts'
import { isTaken, type Connection, type Transaction } from '../../stores/postgres/connect.ts'
import { logoColumn } from './logos-store.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** The columns of a `StatusPageRecord`. */
const pageColumns = (db: Connection) => db`
  id, account_id as "accountId", name, slug, title, description, logo, accent_color as "accentColor",
  theme_preset as "themePreset", font, locale, links, ${logoColumn(db)}, ${epochMs(db, 'created_at')} as "createdAtMs",
  ${epochMs(db, 'updated_at')} as "updatedAtMs"`

/** Every page of an account, oldest first. */
export const findStatusPages = async (db: Connection, accountId: string): Promise<StatusPageRecord[]> => {
  return await db<StatusPageRecord[]>`
    select ${pageColumns(db)} from status_pages where account_id = ${accountId} order by created_at, id`
}

/** One page of an account. Another account's page is null like a missing one. */
export const findStatusPage = async (
  db: Connection,
  accountId: string,
  statusPageId: string,
): Promise<StatusPageRecord | null> => {
  const [row] = await db<StatusPageRecord[]>`
    select ${pageColumns(db)} from status_pages where id = ${statusPageId} and account_id = ${accountId}`
  return row ?? null
}

/** The page of any account with this slug, on a connection that reads all accounts. */
export const findStatusPageBySlug = async (
  db: Connection,
  slug: string,
): Promise<StatusPageRecord | null> => {
  const [row] = await db<StatusPageRecord[]>`
    select ${pageColumns(db)} from status_pages where slug = ${slug}`
  return row ?? null
}

/** The page, locked until the transaction ends, so that decisions about its content are serialised. */
export const lockStatusPage = async (
  tx: Transaction,
  accountId: string,
  statusPageId: string,
): Promise<StatusPageRecord | null> => {
  const [row] = await tx<StatusPageRecord[]>`
    select ${pageColumns(tx)} from status_pages where id = ${statusPageId} and account_id = ${accountId}
    for no key update`
  return row ?? null
}

/** The number of pages of an account. The lock of the account keeps it valid. */
export const countStatusPages = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from status_pages where account_id = ${accountId}`
  return row?.count ?? 0
}

/** @returns false, with nothing written, when a page of any account has the slug */
export const insertStatusPage = async (db: Connection, page: StatusPageRecord): Promise<boolean> => {
  const rows = await db`
    insert into status_pages (id, account_id, name, slug, title, description, logo, accent_color,
      theme_preset, font, locale, links, created_at, updated_at)
    values (${page.id}, ${page.accountId}, ${page.name}, ${page.slug}, ${page.title},
      ${page.description}, ${page.logo}, ${page.accentColor}, ${page.themePreset}, ${page.font},
      ${page.locale}, ${db.json(page.links)}, ${new Date(page.createdAtMs)},
      ${new Date(page.updatedAtMs)})
    on conflict (slug) do nothing
    returning id`
  return rows.length === 1
}

/** @throws the unique violation that `isSlugTaken` recognises, when another page has the slug */
export const updateStatusPage = async (tx: Transaction, page: StatusPageRecord): Promise<void> => {
  await tx`
    update status_pages set name = ${page.name}, slug = ${page.slug}, title = ${page.title},
      description = ${page.description}, logo = ${page.logo}, accent_color = ${page.accentColor},
      theme_preset = ${page.themePreset}, font = ${page.font}, locale = ${page.locale},
      links = ${tx.json(page.links)}, updated_at = ${new Date(page.updatedAtMs)}
    where id = ${page.id}`
}

/** Marks a page as changed. */
export const touchStatusPage = async (
  tx: Transaction,
  statusPageId: string,
  nowMs: number,
): Promise<void> => {
  await tx`update status_pages set updated_at = ${new Date(nowMs)} where id = ${statusPageId}`
}

export const isSlugTaken = (error: unknown): boolean => isTaken(error, 'status_pages_slug_key')

/** Deletes a page with its components, incidents, windows and subscribers. @returns whether it existed */
export const deleteStatusPage = async (
  tx: Transaction,
  accountId: string,
  statusPageId: string,
): Promise<boolean> => {
  const rows = await tx`
    delete from status_pages where id = ${statusPageId} and account_id = ${accountId}`
  return rows.count === 1
}
