import { findSessionOwner, updateSessionSeen, type SessionOwner } from './sessions-store.ts'
import type { LoginContext } from './context.ts'
import { tokenHash } from './token.ts'
import { isStoreRefusing } from '../stores/store-fault.ts'

const dayMs = 86_400_000
/** An unused session ends after this time. */
const idleMsMax = 30 * dayMs
/** Every session ends this long after its login. */
const ageMsMax = 180 * dayMs
/** The pace at which the last use of a session is stored, so that most requests write nothing. */
const seenMsMax = 3_600_000

/** When a session that was used at `seenMs` ends (S-2202). */
export const sessionEndMs = (createdMs: number, seenMs: number): number =>
  Math.min(seenMs + idleMsMax, createdMs + ageMsMax)

/**
 * Finds the session of a token and its user. Use extends a session, stored at most once an hour.
 * @returns null for an unknown or expired token; `moved` if the cookie needs a new expiry
 */
export const findSession = async (
  { sql, now }: Pick<LoginContext, 'sql' | 'now'>,
  token: string,
): Promise<{ owner: SessionOwner; moved: boolean } | null> => {
  const nowMs = now()
  const owner = await findSessionOwner(sql, tokenHash(token), nowMs)
  if (owner === null) return null
  const { session } = owner
  if (nowMs - session.lastSeenAtMs < seenMsMax) return { owner, moved: false }
  const expiresAtMs = sessionEndMs(session.createdAtMs, nowMs)
  const seen = { ...session, lastSeenAtMs: nowMs, expiresAtMs }
  try {
    await updateSessionSeen(sql, seen)
  } catch (error) {
    // a database that accepts no writes ends no session: the use is stored once it does
    if (!isStoreRefusing(error)) throw error
    return { owner, moved: false }
  }
  return { owner: { ...owner, session: seen }, moved: true }
}

/** Whether a session is still valid. This check does not extend the session. */
export const isSessionValid = async (
  { sql, now }: Pick<LoginContext, 'sql' | 'now'>,
  token: string,
): Promise<boolean> => {
  const owner = await findSessionOwner(sql, tokenHash(token), now())
  return owner !== null && !owner.isSuspended
}
