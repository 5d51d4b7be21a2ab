import { knownRule } from '@probe-mesh/contracts/account/login-rules'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ChangePasswordInput } from '@probe-mesh/contracts/account/session'
import { deleteLoginMarks } from './login-marks-store.ts'
import { deleteLoginLinks } from './login-links-store.ts'
import { deleteOtherSessions, type SessionOwner } from './sessions-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findUserByEmail, lockUser, updateUserPassword } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { turnOf } from './hashing.ts'
import { linkMsMax } from './request-link.ts'
import { openSession, type OpenedSession } from './open-session.ts'
import { refuseWeak } from './refuse-weak.ts'

/**
 * Sets a new password. All sessions of the user end, except the current one, which gets a new token. Mailed
 * login links and other known browsers and networks become invalid. SV-2001 for a wrong current password or a
 * weak new one, SV-6005 after too many wrong ones. The current password is optional for 15 minutes after a
 * login by mail.
 */
export const changePassword = async (
  context: LoginContext,
  owner: SessionOwner,
  visitor: Visitor,
  { currentPassword, newPassword }: ChangePasswordInput,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, now } = context
  const { userId } = owner.session
  const user = await findUserByEmail(sql, owner.email)
  if (user === null || user.id !== userId) return refuse('SV-1007')
  const refused = mayLeaveOut(owner, now())
    ? null
    : await refusePassword(context, visitor, user, currentPassword)
  if (refused !== null) return refused
  const turn = turnOf(visitor, user)
  const judged = { path: 'newPassword', own: [owner.email, owner.accountName] }
  const weak = await refuseWeak(context, turn, newPassword, judged)
  if (weak !== null) return weak
  const passwordHash = await hashing.hash(turn, newPassword)
  if (isRefusal(passwordHash)) return passwordHash
  return transact(sql, async (tx) => {
    const locked = await lockUser(tx, userId)
    if (locked?.passwordHash !== user.passwordHash) return refuse('SV-3002', { message: changed })
    await updateUserPassword(tx, userId, passwordHash)
    await deleteLoginLinks(tx, userId)
    await deleteLoginMarks(tx, userId)
    const how = { action: 'changePassword', openedBy: 'password' } as const
    const opened = await openSession(tx, context, locked, visitor, how)
    await deleteOtherSessions(tx, userId, opened.owner.session.id)
    return opened
  })
}

const mayLeaveOut = ({ session }: SessionOwner, nowMs: number): boolean =>
  session.openedBy === 'link' && nowMs - session.createdAtMs < linkMsMax

const refusePassword = async (
  { hashing, throttle }: LoginContext,
  visitor: Visitor,
  user: { id: string; accountId: string; passwordHash: string },
  sent: string | undefined,
): Promise<Refusal | null> => {
  if (sent === undefined) return wrong('is required')
  const about = { text: `change the password of ${user.id}`, rule: knownRule }
  const tooMany = await throttle.count([about])
  if (tooMany !== null) return tooMany
  const right = await hashing.isPassword(turnOf(visitor, user), sent, user.passwordHash)
  if (right === false) return wrong('is not the current password')
  if (right === true) await throttle.reset(about)
  else await throttle.uncount([about])
  return right === true ? null : right
}

const wrong = (message: string): Refusal =>
  refuse('SV-2001', { errors: [{ path: 'currentPassword', message }] })

const changed = 'The password was changed by another request at the same time. Log in again.'
