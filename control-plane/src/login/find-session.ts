import { findSessionOwner, updateSessionSeen } from './sessions-store.ts'
import type { SessionOwner } from './sessions-store.ts'
import type { LoginContext } from './context.ts'
import { seenMsMax, sessionEndMs } from './session-end.ts'
import { tokenHash } from './token.ts'

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
