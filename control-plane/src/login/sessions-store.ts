import type { SessionOpenedBy } from '@probe-mesh/contracts/account/session'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

export type SessionRecord = {
  id: string
  accountId: string
  userId: string
  openedBy: SessionOpenedBy
  createdAtMs: number
  lastSeenAtMs: number
  expiresAtMs: number
  address: string
  userAgent: string
}

/** A session with its user and account. */
export type SessionOwner = {
  session: SessionRecord
  email: string
  accountName: string
  tier: Tier
  /** The account is suspended. */
  isSuspended: boolean
}

const sessionColumns = (db: Connection) => db`
  sessions.id, sessions.account_id as "accountId", sessions.user_id as "userId", sessions.opened_by as "openedBy",
  ${epochMs(db, 'sessions.created_at')} as "createdAtMs", ${epochMs(db, 'last_seen_at')} as "lastSeenAtMs",
  ${epochMs(db, 'expires_at')} as "expiresAtMs", sessions.address, sessions.user_agent as "userAgent"`

/** @param tokenHash the sha-256 of the token; the token itself is never stored */
export const insertSession = async (
  db: Connection,
  session: SessionRecord,
  tokenHash: Uint8Array,
): Promise<void> => {
  await db`
    insert into sessions (id, account_id, user_id, token_hash, opened_by, created_at, last_seen_at,
      expires_at, address, user_agent)
    values (${session.id}, ${session.accountId}, ${session.userId}, ${tokenHash},
      ${session.openedBy}, ${new Date(session.createdAtMs)}, ${new Date(session.lastSeenAtMs)},
      ${new Date(session.expiresAtMs)}, ${session.address}, ${session.userAgent})`
}

/** The session of a token and its user, unless the session has expired. */
export const findSessionOwner = async (
  db: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<SessionOwner | null> => {
  const [row] = await db<(SessionRecord & Omit<SessionOwner, 'session'>)[]>`
    select ${sessionColumns(db)}, users.email, accounts.name as "accountName", accounts.tier,
      accounts.suspended_at is not null as "isSuspended"
    from sessions join users on users.id = sessions.user_id
      join accounts on accounts.id = sessions.account_id
    where sessions.token_hash = ${tokenHash} and sessions.expires_at > ${new Date(nowMs)}`
  if (row === undefined) return null
  const { email, accountName, tier, isSuspended, ...session } = row
  return { session, email, accountName, tier, isSuspended }
}

/** The valid sessions of a user, the most recently used first. */
export const findSessions = async (db: Connection, userId: string, nowMs: number): Promise<SessionRecord[]> =>
  await db<SessionRecord[]>`
    select ${sessionColumns(db)}
    from sessions where user_id = ${userId} and expires_at > ${new Date(nowMs)}
    order by last_seen_at desc, id desc`

export const updateSessionSeen = async (
  db: Connection,
  { id, lastSeenAtMs, expiresAtMs }: Pick<SessionRecord, 'id' | 'lastSeenAtMs' | 'expiresAtMs'>,
): Promise<void> => {
  await db`
    update sessions set last_seen_at = ${new Date(lastSeenAtMs)},
      expires_at = ${new Date(expiresAtMs)}
    where id = ${id}`
}

/** @returns whether the user had such a session */
export const deleteSession = async (db: Connection, userId: string, sessionId: string): Promise<boolean> => {
  const { count } = await db`
    delete from sessions where user_id = ${userId} and id = ${sessionId}`
  return count > 0
}

/** Ends the session of a token, of any user. */
export const deleteSessionOfToken = async (db: Connection, tokenHash: Uint8Array): Promise<void> => {
  await db`delete from sessions where token_hash = ${tokenHash}`
}

/** Ends all sessions of a user except the most recently used. @returns the number of ended sessions */
export const deleteSessionsBeyond = async (db: Connection, userId: string, kept: number): Promise<number> => {
  const { count } = await db`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId}
      order by last_seen_at desc, id desc offset ${kept})`
  return count
}

/** Ends all sessions of a user except one. @returns the number of ended sessions */
export const deleteOtherSessions = async (
  db: Connection,
  userId: string,
  keptId: string,
): Promise<number> => {
  const { count } = await db`
    delete from sessions where user_id = ${userId} and id <> ${keptId}`
  return count
}
