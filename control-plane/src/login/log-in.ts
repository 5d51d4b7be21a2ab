import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { LogInInput } from '@probe-mesh/contracts/session'
import { isCurrentHash } from '../passwords/password.ts'
import { transact } from '../postgres/transact.ts'
import { findUserByEmail, lockUser, updateUserPassword } from '../postgres/users.ts'
import { emailRule, networkRule } from './attempts.ts'
import type { LoginContext, Visitor } from './context.ts'
import { openSession } from './open-session.ts'
import type { OpenedSession } from './open-session.ts'

/**
 * Opens a session by password. A wrong one and an address that nobody has are the same SV-1008 after
 * the same work; too many attempts about one address or from one network are SV-6005.
 */
export const logIn = async (
  context: LoginContext,
  visitor: Visitor,
  { email, password }: LogInInput,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, throttle } = context
  const aboutEmail = { text: `log in as ${email.toLowerCase()}`, rule: emailRule }
  const fromNetwork = { text: `log in from ${visitor.network}`, rule: networkRule }
  const tooMany = await throttle.take([aboutEmail, fromNetwork])
  if (tooMany !== null) return tooMany
  const user = await findUserByEmail(sql, email)
  const right = await hashing.isPassword(password, user?.passwordHash ?? null)
  if (isRefusal(right)) {
    await throttle.takeBack([aboutEmail, fromNetwork])
    return right
  }
  if (user === null || !right) return refuse('SV-1008')
  await throttle.forget(aboutEmail)
  await throttle.takeBack([fromNetwork])
  const renewed = isCurrentHash(user.passwordHash) ? null : await hashing.hash(password)
  return transact(sql, async (tx) => {
    const locked = await lockUser(tx, user.id)
    // the password was changed while it was compared, which ended every session that it had opened
    if (locked === null || locked.passwordHash !== user.passwordHash) return refuse('SV-1008')
    if (typeof renewed === 'string') await updateUserPassword(tx, user.id, renewed)
    const how = { action: 'logIn', openedBy: 'password' } as const
    return openSession(tx, locked, visitor, how, context.now())
  })
}
