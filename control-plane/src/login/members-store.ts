import { epochMs } from '../stores/postgres/epoch-ms.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

export type MemberRecord = {
  id: string
  name: string | null
  email: string
  createdAtMs: number
  /** The last use of a session that still exists, or the last login of a browser that is still known. */
  lastSeenAtMs: number | null
}

/** The users of an account, the oldest first. */
export const findMembers = async (db: Connection, accountId: string): Promise<MemberRecord[]> =>
  await db<MemberRecord[]>`
    select users.id, users.name, users.email, ${epochMs(db, 'users.created_at')} as "createdAtMs",
      ${epochMs(db, 'seen.at')} as "lastSeenAtMs"
    from users, lateral (select greatest(
      (select max(last_seen_at) from sessions where user_id = users.id),
      (select max(seen_at) from login_marks where user_id = users.id)) as at) seen
    where account_id = ${accountId} order by users.created_at, users.id`

export const countMembers = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from users where account_id = ${accountId}`
  return row?.count ?? 0
}

/**
 * Deletes a user with its sessions, login links and known browsers. Processes with live streams of the account
 * check their sessions at once. @returns the address, or null if the account has no such user
 */
export const deleteMember = async (
  tx: Transaction,
  accountId: string,
  userId: string,
): Promise<string | null> => {
  const [row] = await tx<{ email: string }[]>`
    delete from users where account_id = ${accountId} and id = ${userId} returning email`
  if (row === undefined) return null
  await tx`select pg_notify('sessions_ended', ${accountId})`
  return row.email
}
