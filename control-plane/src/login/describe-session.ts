import type { LoggedIn, Session } from '@probe-mesh/contracts/account/session'
import type { SessionOwner, SessionRecord } from './sessions-store.ts'

/** A session as its user sees it. Pure. */
export const describeSession = (session: SessionRecord, currentId: string): Session => ({
  id: session.id,
  current: session.id === currentId,
  openedBy: session.openedBy,
  createdAt: new Date(session.createdAtMs).toISOString(),
  lastSeenAt: new Date(session.lastSeenAtMs).toISOString(),
  expiresAt: new Date(session.expiresAtMs).toISOString(),
  address: session.address,
  userAgent: session.userAgent,
})

/** Who is logged in. Pure. */
export const describeLogin = ({ session, email, accountName, tier }: SessionOwner): LoggedIn => ({
  user: { id: session.userId, email },
  account: { id: session.accountId, name: accountName, tier },
  session: describeSession(session, session.id),
})
