import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { SessionOpenedBy } from '@probe-mesh/contracts/account/session'
import { findAccount } from '../accounts/accounts-store.ts'
import { insertAudit } from '../accounts/operations/audit-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import {
  deleteSessionOfToken,
  deleteSessionsBeyond,
  insertSession,
  type SessionOwner,
  type SessionRecord,
} from './sessions-store.ts'
import type { UserRecord } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { rememberVisitor } from './known.ts'
import { sessionEndMs } from './find-session.ts'
import { makeToken, tokenHash } from './token.ts'

/** The most sessions of one user. A further one ends the least recently used one. */
const sessionsMax = 20
const userAgentCharactersMax = 300

/** A session, the token for its cookie, which is not stored, and the cookie of the browser. */
export type OpenedSession = { token: string; browserCookie: string; owner: SessionOwner }

/**
 * Opens a session with a new token. A session from before the login ends, against session fixation. The
 * browser and its network become known, so that attempts from elsewhere do not block them.
 * @param action the action in the audit log
 */
export const openSession = async (
  tx: Transaction,
  { marks, now }: Pick<LoginContext, 'marks' | 'now'>,
  user: UserRecord,
  visitor: Visitor,
  { action, openedBy }: { action: string; openedBy: SessionOpenedBy },
): Promise<OpenedSession> => {
  const nowMs = now()
  const account = await findAccount(tx, user.accountId)
  if (account === null) throw new Error(`user ${user.id} has no account`)
  const token = makeToken()
  const session: SessionRecord = {
    id: uuidv7(nowMs),
    accountId: user.accountId,
    userId: user.id,
    openedBy,
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    expiresAtMs: sessionEndMs(nowMs, nowMs),
    address: visitor.address,
    userAgent: visitor.userAgent.slice(0, userAgentCharactersMax),
  }
  if (visitor.token !== null) await deleteSessionOfToken(tx, tokenHash(visitor.token))
  await deleteSessionsBeyond(tx, user.id, sessionsMax - 1)
  await insertSession(tx, session, tokenHash(token))
  const actor = { kind: 'user', id: user.id, name: user.email, address: visitor.address } as const
  const entry = {
    accountId: user.accountId,
    action,
    resourceType: 'session',
    resourceId: session.id,
  }
  await insertAudit(tx, actor, entry, nowMs)
  const { name: accountName, tier } = account
  // every request of the session reads the suspension again
  const owner = { session, email: user.email, accountName, tier, isSuspended: false }
  const browserCookie = visitor.browserCookie ?? marks.newBrowser()
  const browser = marks.readBrowser(browserCookie)
  await rememberVisitor(tx, marks, user, { ...visitor, browser }, nowMs)
  return { token, browserCookie, owner }
}
