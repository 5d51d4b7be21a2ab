import type { Session } from '@probe-mesh/contracts/account/session'
import { findSessions } from './sessions-store.ts'
import type { SessionOwner } from './sessions-store.ts'
import type { LoginContext } from './context.ts'
import { describeSession } from './describe-session.ts'

/** Where the user is logged in, the session seen last first. */
export const listSessions = async (
  { sql, now }: Pick<LoginContext, 'sql' | 'now'>,
  { session }: Pick<SessionOwner, 'session'>,
): Promise<{ sessions: Session[] }> => {
  const sessions = await findSessions(sql, session.userId, now())
  return { sessions: sessions.map((one) => describeSession(one, session.id)) }
}
