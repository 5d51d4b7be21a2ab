import type { Connection } from '../stores/postgres/connect.ts'

type LoginLinkRecord = {
  id: string
  accountId: string
  userId: string
  createdAtMs: number
  expiresAtMs: number
}

/** @param tokenHash the sha-256 of the mailed token */
export const insertLoginLink = async (
  db: Connection,
  link: LoginLinkRecord,
  tokenHash: Uint8Array,
): Promise<void> => {
  await db`
    insert into login_links (id, account_id, user_id, token_hash, created_at, expires_at)
    values (${link.id}, ${link.accountId}, ${link.userId}, ${tokenHash},
      ${new Date(link.createdAtMs)}, ${new Date(link.expiresAtMs)})`
}

/** Consumes a link. @returns its user, or null if there is no valid link */
export const consumeLoginLink = async (
  db: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<{ userId: string } | null> => {
  const [row] = await db<{ user_id: string }[]>`
    delete from login_links where token_hash = ${tokenHash} and expires_at > ${new Date(nowMs)}
    returning user_id`
  return row === undefined ? null : { userId: row.user_id }
}

export const deleteLoginLinks = async (db: Connection, userId: string): Promise<void> => {
  await db`delete from login_links where user_id = ${userId}`
}
