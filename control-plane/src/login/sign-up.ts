import { signUpRules } from '@probe-mesh/contracts/account/login-rules'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ConfirmSignUpInput, SignUpInput } from '@probe-mesh/contracts/account/session'
import { openAccount } from './open-account-store.ts'
import { findSignUpEmail, consumeSignUp } from './sign-ups-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { confirmUser, findUserByEmail, isEmailTaken } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { turnOf } from './hashing.ts'
import { fromNetworks } from './known.ts'
import { openSession, type OpenedSession } from './open-session.ts'
import { refuseWeak } from './refuse-weak.ts'
import { refuseMode, refuseTaken, tooManySignUps } from './sign-up-refusals.ts'
import { tokenHash } from './token.ts'

/**
 * Creates an account by a mailed link, with its first session. The link proves the address, and its receiver
 * chooses the password, so that no account can be prepared for another person. SV-1008 for an invalid link,
 * SV-2001 for a weak password, which does not consume the link, SV-1011 and SV-3002 from `refuseMode`.
 */
export const confirmSignUp = async (
  context: LoginContext,
  visitor: Visitor,
  { token, accountName, password }: ConfirmSignUpInput,
): Promise<OpenedSession | Refusal> => {
  const otherMode = refuseMode(context.signUp, 'by_mail')
  if (otherMode !== null) return otherMode
  const hashed = tokenHash(token)
  // estimates and hashes are costly, so the link is checked first
  const email = await findSignUpEmail(context.sql, hashed, context.now())
  if (email === null) return noLink
  return open(context, visitor, { email, accountName, password }, (tx) =>
    consumeSignUp(tx, hashed, context.now()),
  )
}

/**
 * Creates an account at once, if the server sends no mail to verify the address. SV-3002 if the address has
 * an account, SV-6005 after a few attempts, SV-2001 for a weak password.
 */
export const signUp = async (
  context: LoginContext,
  visitor: Visitor,
  { email, accountName, password }: SignUpInput,
): Promise<OpenedSession | Refusal> => {
  const otherMode = refuseMode(context.signUp, 'by_password')
  if (otherMode !== null) return otherMode
  const tooMany = await context.throttle.count(fromNetworks('sign up', visitor, signUpRules))
  if (tooMany !== null) return tooManySignUps(tooMany)
  if ((await findUserByEmail(context.sql, email)) !== null) return refuseTaken(email)
  return open(context, visitor, { email, accountName, password }, async () => email)
}

/** @param consume consumes the proof of the address; null if another request did so first */
const open = async (
  context: LoginContext,
  visitor: Visitor,
  { email, accountName, password }: SignUpInput,
  consume: (tx: Transaction) => Promise<string | null>,
): Promise<OpenedSession | Refusal> => {
  const { sql, hashing, now, signUp: mode, sendsMail } = context
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
      const email = await consume(tx)
      if (email === null) return noLink
      address = email
      const draft = { name: accountName, email, passwordHash, tier: 'free', sendsMail } as const
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
  message: 'This link is used or expired. Request a new one.',
})
