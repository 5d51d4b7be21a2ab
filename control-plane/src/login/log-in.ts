import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { LogInInput } from '@probe-mesh/contracts/account/session'
import { isCurrentHash } from './passwords/password.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findUserByEmail, lockUser, updateUserPassword } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { turnOf } from './hashing.ts'
import { attemptsOf, findKnown } from './known.ts'
import { openSession, type OpenedSession } from './open-session.ts'

/**
 * Opens a session by password. SV-1008 for a wrong password and for an unknown address, after the same work.
 * SV-6005 after too many attempts: a known browser or network of the account has its own allowance; all
 * others share one for the address and one for each network.
 */
export const logIn = async (
  context: LoginContext,
  visitor: Visitor,
  { email, password }: LogInInput,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, throttle } = context
  const known = await findKnown(context, email, visitor)
  const [own, ...shared] = attemptsOf(email, visitor, known)
  const tooMany = await throttle.count([own, ...shared])
  if (tooMany !== null) return known === null ? { ...tooMany, message: useLink } : tooMany
  const turn = turnOf(visitor, known)
  const user = await findUserByEmail(sql, email)
  const right = await hashing.isPassword(turn, password, user?.passwordHash ?? null)
  if (isRefusal(right)) {
    await throttle.uncount([own, ...shared])
    return right
  }
  if (user === null || !right) return refuse('SV-1008')
  await throttle.reset(own)
  await throttle.uncount(shared)
  const renewed = isCurrentHash(user.passwordHash) ? null : await hashing.hash(turn, password)
  return transact(sql, async (tx) => {
    const locked = await lockUser(tx, user.id)
    // the password was changed during the comparison, which ended all its sessions
    if (locked === null || locked.passwordHash !== user.passwordHash) return refuse('SV-1008')
    if (typeof renewed === 'string') await updateUserPassword(tx, user.id, renewed)
    const how = { action: 'logIn', openedBy: 'password' } as const
    return openSession(tx, context, locked, visitor, how)
  })
}

const useLink =
  'Too many login attempts from unknown browsers and networks. Request a login link by mail, use a browser that has logged in before, or retry after the seconds in Retry-After.'
