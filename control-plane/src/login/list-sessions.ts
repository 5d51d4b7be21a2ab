import type { Session } from '@probe-mesh/contracts/session'
import { findSessions } from '../postgres/sessions.ts'
import type { SessionOwner } from '../postgres/sessions.ts'
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
