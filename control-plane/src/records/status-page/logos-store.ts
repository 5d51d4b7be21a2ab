import type { LogoExtension } from '@probe-mesh/contracts/status-page/logo'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'

/** An uploaded logo without its image. */
export type LogoRecord = {
  hash: string
  type: LogoExtension
  width: number
  height: number
  size: number
}

/** The uploaded logo of a page, as a column of the page. */
export const logoColumn = (db: Connection) => db`
  (select json_build_object('hash', logos.hash, 'type', logos.type, 'width', logos.width,
      'height', logos.height, 'size', octet_length(logos.bytes))
    from status_page_logos as logos where logos.status_page_id = status_pages.id) as "uploadedLogo"`

/** Stores the logo of a page, replacing the previous one. */
export const upsertLogo = async (
  tx: Transaction,
  page: { id: string; accountId: string },
  logo: Omit<LogoRecord, 'size'> & { bytes: Buffer },
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into status_page_logos (status_page_id, account_id, hash, type, width, height, bytes, created_at)
    values (${page.id}, ${page.accountId}, ${logo.hash}, ${logo.type}, ${logo.width}, ${logo.height},
      ${logo.bytes}, ${new Date(nowMs)})
    on conflict (status_page_id) do update set hash = excluded.hash, type = excluded.type,
      width = excluded.width, height = excluded.height, bytes = excluded.bytes,
      created_at = excluded.created_at`
}

export const deleteLogo = async (tx: Transaction, statusPageId: string): Promise<void> => {
  await tx`delete from status_page_logos where status_page_id = ${statusPageId}`
}

/** The image of a page's logo, by its address. null: the page has no such logo, or no longer. */
export const findLogoImage = async (
  db: Connection,
  slug: string,
  { hash, type }: Pick<LogoRecord, 'hash' | 'type'>,
): Promise<Uint8Array | null> => {
  const [row] = await db<{ bytes: Uint8Array }[]>`
    select logos.bytes from status_page_logos as logos
      join status_pages on status_pages.id = logos.status_page_id
    where status_pages.slug = ${slug} and logos.hash = ${hash} and logos.type = ${type}`
  return row?.bytes ?? null
}
