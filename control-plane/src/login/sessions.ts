import type { LoggedIn, Session } from '@probe-mesh/contracts/account/session'
import {
  findSessions,
  deleteOtherSessions,
  deleteSession,
  type SessionOwner,
  type SessionRecord,
} from './sessions-store.ts'
import type { LoginContext } from './context.ts'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { insertAudit } from '../accounts/operations/audit-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { Visitor } from './visitor.ts'

/** A session, for its user. */
const describeSession = (session: SessionRecord, currentId: string): Session => ({
  id: session.id,
  current: session.id === currentId,
  openedBy: session.openedBy,
  createdAt: new Date(session.createdAtMs).toISOString(),
  lastSeenAt: new Date(session.lastSeenAtMs).toISOString(),
  expiresAt: new Date(session.expiresAtMs).toISOString(),
  address: session.address,
  userAgent: session.userAgent,
})

/** The logged-in user with account and session. */
export const describeLogin = ({ session, email, accountName, tier }: SessionOwner): LoggedIn => ({
  user: { id: session.userId, email },
  account: { id: session.accountId, name: accountName, tier },
  session: describeSession(session, session.id),
})

/** The sessions of the user, the most recently used first. */
export const listSessions = async (
  { sql, now }: Pick<LoginContext, 'sql' | 'now'>,
  { session }: Pick<SessionOwner, 'session'>,
): Promise<{ sessions: Session[] }> => {
  const sessions = await findSessions(sql, session.userId, now())
  return { sessions: sessions.map((one) => describeSession(one, session.id)) }
}

type EndingContext = Pick<LoginContext, 'sql' | 'now'>
type Owner = Pick<SessionOwner, 'session' | 'email'>
type From = Pick<Visitor, 'address'>

/** Ends one session of the user at once, which may be the current one. */
export const endSession = (
  { sql, now }: EndingContext,
  owner: Owner,
  visitor: From,
  { sessionId, action }: { sessionId: string; action: 'endSession' | 'logOut' },
): Promise<{ id: string; ended: true } | Refusal> =>
  transact(sql, async (tx) => {
    if (!(await deleteSession(tx, owner.session.userId, sessionId))) return refuse('SV-3001')
    await insertSessionAudit(tx, owner, visitor, { action, sessionId }, now())
    return { id: sessionId, ended: true }
  })

/** Ends all sessions of the user except the current one. @returns the number of ended sessions */
export const endOtherSessions = (
  { sql, now }: EndingContext,
  owner: Owner,
  visitor: From,
): Promise<{ ended: number }> =>
  transact(sql, async (tx) => {
    const { id, userId } = owner.session
    const ended = await deleteOtherSessions(tx, userId, id)
    const what = { action: 'endOtherSessions', sessionId: id }
    if (ended > 0) await insertSessionAudit(tx, owner, visitor, what, now())
    return { ended }
  })

const insertSessionAudit = (
  tx: Transaction,
  { session, email }: Owner,
  { address }: From,
  { action, sessionId }: { action: string; sessionId: string },
  nowMs: number,
): Promise<void> => {
  const { accountId, userId } = session
  const actor = { kind: 'user', id: userId, name: email, address } as const
  const entry = { accountId, action, resourceType: 'session', resourceId: sessionId }
  return insertAudit(tx, actor, entry, nowMs)
}
