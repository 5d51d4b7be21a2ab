import type { Connection } from '../stores/postgres/connect.ts'

export type LoginLinkRecord = {
  id: string
  accountId: string
  userId: string
  createdAtMs: number
  expiresAtMs: number
}

/** @param tokenHash sha-256 of the token that was mailed */
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

/** Uses a link up. @returns whose it was, or null where there is none, or none any more */
export const takeLoginLink = async (
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
