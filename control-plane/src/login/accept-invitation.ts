import {
  membersMax,
  type AcceptInvitationInput,
  type ReadInvitation,
  type ReadInvitationInput,
} from '@probe-mesh/contracts/account/members'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount } from '../accounts/accounts-store.ts'
import { insertAudit } from '../accounts/operations/audit-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import type { LoginContext } from './context.ts'
import { turnOf } from './hashing.ts'
import { openSession, type OpenedSession } from './open-session.ts'
import { refuseWeak } from './refuse-weak.ts'
import { tokenHash } from './token.ts'
import { confirmUser, findUserByEmail, insertUser, isEmailTaken } from './users-store.ts'
import type { Visitor } from './visitor.ts'
import { manyMembers } from './invite-member.ts'
import { consumeInvitation, findInvitationOfToken } from './invitations-store.ts'
import { countMembers } from './members-store.ts'

/**
 * The account and address of an invitation, for the holder of its link. SV-1008 for an invalid link, SV-1012 for
 * a suspended account, SV-3002 if the address has a user already: a user belongs to one account.
 */
export const readInvitation = async (
  context: Pick<LoginContext, 'sql' | 'now'>,
  { token }: ReadInvitationInput,
): Promise<ReadInvitation | Refusal> => {
  const found = await findAcceptable(context, token)
  if (isRefusal(found)) return found
  const { accountName, email, invitedBy } = found
  return { accountName, email, invitedBy }
}

/**
 * Creates the user of an invitation, with its first session, in one transaction. The refusals of
 * `readInvitation`, and SV-2001 for a weak password. None of them consumes the link.
 */
export const acceptInvitation = async (
  context: LoginContext,
  visitor: Visitor,
  { token, name, password }: AcceptInvitationInput,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, now } = context
  // estimates and hashes are costly, so the link is checked first
  const found = await findAcceptable(context, token)
  if (isRefusal(found)) return found
  const { accountId, accountName, email, mailed } = found
  const turn = turnOf(visitor, null)
  const judged = { path: 'password', own: [email, accountName, name] }
  const weak = await refuseWeak(context, turn, password, judged)
  if (weak !== null) return weak
  const passwordHash = await hashing.hash(turn, password)
  if (isRefusal(passwordHash)) return passwordHash
  try {
    return await transact(sql, async (tx) => {
      await lockAccount(tx, accountId)
      const nowMs = now()
      if (!(await consumeInvitation(tx, tokenHash(token), nowMs))) return noLink
      if ((await countMembers(tx, accountId)) >= membersMax) return manyMembers
      const user = { id: uuidv7(nowMs), accountId, email, passwordHash, createdAtMs: nowMs }
      await insertUser(tx, user, name)
      // a link that a member copied does not prove the address
      if (mailed) await confirmUser(tx, user.id, nowMs)
      const actor = { kind: 'user', id: user.id, name: email, address: visitor.address } as const
      const entry = { accountId, action: 'acceptInvitation', resourceType: 'member', resourceId: email }
      await insertAudit(tx, actor, entry, nowMs)
      return openSession(tx, context, user, visitor, { action: 'logIn', openedBy: 'password' })
    })
  } catch (error) {
    if (isEmailTaken(error)) return refuseTaken(email)
    throw error
  }
}

const findAcceptable = async ({ sql, now }: Pick<LoginContext, 'sql' | 'now'>, token: string) => {
  const found = await findInvitationOfToken(sql, tokenHash(token), now())
  if (found === null) return noLink
  if (found.isSuspended) return refuse('SV-1012')
  return (await findUserByEmail(sql, found.email)) === null ? found : refuseTaken(found.email)
}

const noLink = refuse('SV-1008', {
  message: 'This invitation is used, replaced, revoked or expired. Ask for a new one.',
})

const refuseTaken = (email: string): Refusal =>
  refuse('SV-3002', {
    message: `${email} already has a user, and a user belongs to one account. Ask for an invitation to another address.`,
  })
