import { signUpRules } from '@probe-mesh/contracts/account/login-rules'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ConfirmSignUpInput, SignUpInput } from '@probe-mesh/contracts/account/session'
import { openAccount } from './open-account-store.ts'
import { findSignUpEmail, takeSignUp } from './sign-ups-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmUser, findUserByEmail, isEmailTaken } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { turnOf } from './hashing.ts'
import { fromNetworks } from './known.ts'
import { openSession } from './open-session.ts'
import type { OpenedSession } from './open-session.ts'
import { refuseWeak } from './refuse-weak.ts'
import { refuseMode, refuseTaken, tooManySignUps } from './sign-up-refusals.ts'
import { tokenHash } from './token.ts'

/**
 * Opens an account by a mailed link, with its first session. Only the link shows whose address it is,
 * and only who has it chooses the password: nobody prepares an account for somebody else. SV-1008
 * for any other link, SV-2001 for a weak password, which uses no link up, SV-1011 and SV-3002 as `refuseMode` says.
 */
export const confirmSignUp = async (
  context: LoginContext,
  visitor: Visitor,
  { token, accountName, password }: ConfirmSignUpInput,
): Promise<OpenedSession | Refusal> => {
  const otherMode = refuseMode(context.signUp, 'by_mail')
  if (otherMode !== null) return otherMode
  const hashed = tokenHash(token)
  // a password is judged and hashed for who has a link, not for everybody
  const email = await findSignUpEmail(context.sql, hashed, context.now())
  if (email === null) return noLink
  return open(context, visitor, { email, accountName, password }, (tx) =>
    takeSignUp(tx, hashed, context.now()),
  )
}

/**
 * Opens an account at once, where no mail is sent that could show whose address it is. That an
 * address has an account, SV-3002, can be asked a few times only: SV-6005. A weak password is SV-2001.
 */
export const signUp = async (
  context: LoginContext,
  visitor: Visitor,
  { email, accountName, password }: SignUpInput,
): Promise<OpenedSession | Refusal> => {
  const otherMode = refuseMode(context.signUp, 'by_password')
  if (otherMode !== null) return otherMode
  const tooMany = await context.throttle.take(fromNetworks('sign up', visitor, signUpRules))
  if (tooMany !== null) return tooManySignUps(tooMany)
  if ((await findUserByEmail(context.sql, email)) !== null) return refuseTaken(email)
  return open(context, visitor, { email, accountName, password }, async () => email)
}

/** @param take uses up what the address is known by; null where somebody else was first */
const open = async (
  context: LoginContext,
  visitor: Visitor,
  { email, accountName, password }: SignUpInput,
  take: (tx: Transaction) => Promise<string | null>,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, now, signUp: mode } = context
  const turn = turnOf(visitor, null)
  const weak = await refuseWeak(context, turn, password, {
    path: 'password',
    own: [email, accountName],
  })
  if (weak !== null) return weak
  const passwordHash = await hashing.hash(turn, password)
  if (isRefusal(passwordHash)) return passwordHash
  let address = ''
  try {
    return await transact(sql, async (tx) => {
      const email = await take(tx)
      if (email === null) return noLink
      address = email
      const draft = { name: accountName, email, passwordHash, tier: 'free' } as const
      const { user } = await openAccount(tx, draft, now())
      if (mode === 'by_mail') await confirmUser(tx, user.id, now())
      const how = { action: 'signUp', openedBy: 'password' } as const
      return openSession(tx, context, user, visitor, how)
    })
  } catch (error) {
    if (isEmailTaken(error)) return refuseTaken(address)
    throw error
  }
}

const noLink = refuse('SV-1008', {
  message: 'This link was used already or is too old. Ask for another one.',
})
