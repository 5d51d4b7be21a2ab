import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { LogInInput } from '@probe-mesh/contracts/account/session'
import { isCurrentHash } from './passwords/password.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findUserByEmail, lockUser, updateUserPassword } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { turnOf } from './hashing.ts'
import { attemptsOf, findKnown } from './known.ts'
import { openSession } from './open-session.ts'
import type { OpenedSession } from './open-session.ts'

/**
 * Opens a session by password. A wrong one and an address that nobody has are the same SV-1008 after
 * the same work. Too many attempts are SV-6005: a browser or network that logged in to the account before
 * spends an allowance of its own; all others share one about the address and one for each network.
 */
export const logIn = async (
  context: LoginContext,
  visitor: Visitor,
  { email, password }: LogInInput,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, throttle } = context
  const known = await findKnown(context, email, visitor)
  const [own, ...shared] = attemptsOf(email, visitor, known)
  const tooMany = await throttle.take([own, ...shared])
  if (tooMany !== null) return known === null ? { ...tooMany, message: useLink } : tooMany
  const turn = turnOf(visitor, known)
  const user = await findUserByEmail(sql, email)
  const right = await hashing.isPassword(turn, password, user?.passwordHash ?? null)
  if (isRefusal(right)) {
    await throttle.takeBack([own, ...shared])
    return right
  }
  if (user === null || !right) return refuse('SV-1008')
  await throttle.forget(own)
  await throttle.takeBack(shared)
  const renewed = isCurrentHash(user.passwordHash) ? null : await hashing.hash(turn, password)
  return transact(sql, async (tx) => {
    const locked = await lockUser(tx, user.id)
    // the password was changed while it was compared, which ended every session that it had opened
    if (locked === null || locked.passwordHash !== user.passwordHash) return refuse('SV-1008')
    if (typeof renewed === 'string') await updateUserPassword(tx, user.id, renewed)
    const how = { action: 'logIn', openedBy: 'password' } as const
    return openSession(tx, context, locked, visitor, how)
  })
}

const useLink =
  'There were too many attempts to log in from places that are not known to this account. Ask for a login link by mail, use a browser that has logged in before, or wait as long as Retry-After says.'
