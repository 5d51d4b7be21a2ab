import { findSessionOwner, updateSessionSeen } from './sessions-store.ts'
import type { SessionOwner } from './sessions-store.ts'
import type { LoginContext } from './context.ts'
import { tokenHash } from './token.ts'

const dayMs = 86_400_000
/** A session that is not used for this long ends. */
const idleMsMax = 30 * dayMs
/** And any session ends this long after its login, however often it is used. */
const ageMsMax = 180 * dayMs
/** How old the note of a session's last use may be: a page of the dashboard writes nothing. */
export const seenMsMax = 3_600_000

/** When a session that was used at `seenMs` ends (S-2202). Pure. */
export const sessionEndMs = (createdMs: number, seenMs: number): number =>
  Math.min(seenMs + idleMsMax, createdMs + ageMsMax)

/**
 * Who holds a token. Using a session moves its end on, which is noted at most once an hour.
 * @returns null where nobody does any more; `moved` where the cookie has to be given a new end
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
  await updateSessionSeen(sql, seen)
  return { owner: { ...owner, session: seen }, moved: true }
}

/** Whether a session still holds. Asking is not using it: a page that stands open does not move its end on. */
export const sessionHolds = async (
  { sql, now }: Pick<LoginContext, 'sql' | 'now'>,
  token: string,
): Promise<boolean> => {
  const owner = await findSessionOwner(sql, tokenHash(token), now())
  return owner !== null && !owner.isSuspended
}
