import { setTimeout as wait } from 'node:timers/promises'
import { mailRule, signUpRules } from '@probe-mesh/contracts/account/login-rules'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RequestSignUpInput } from '@probe-mesh/contracts/account/session'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { insertSignUp } from './sign-ups-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findUserByEmail } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { fromNetworks } from './known.ts'
import { refuseMode, tooManySignUps } from './sign-up-refusals.ts'
import { makeToken, tokenHash } from './token.ts'
import type { MailMessage } from '../notifications/mail/mail.ts'
import { html, textOf } from '@probe-mesh/runtime/html'

/** How long a mailed link opens an account. */
const signUpMsMax = 24 * 3_600_000

/** The letter with the link that opens an account. Pure. */
const signUpMail = (url: string): MailMessage =>
  letter('Open your Probe Mesh account', url, {
    first: 'Open this link to choose a name and a password. It works once, within a day:',
    last: 'If you did not ask for it, do nothing: there is no account.',
  })

/** The letter to who has an account already, and asked for one. @param url of the login. Pure. */
const knownMail = (url: string): MailMessage =>
  letter('You have a Probe Mesh account', url, {
    first: 'Somebody asked for an account with this address, which has one already. Log in here:',
    last: 'If it was not you, do nothing: nothing was changed.',
  })

const letter = (
  subject: string,
  url: string,
  { first, last }: { first: string; last: string },
): MailMessage => ({
  subject,
  isPrivate: true,
  text: `${first}\n\n${url}\n\n${last}\n`,
  html: textOf(
    html`<p>${first}</p>
      <p><a href="${url}">${url}</a></p>
      <p>${last}</p> `,
  ),
})

/** Longer than writing a link takes: how long the answer took does not tell which mail was written. */
const answerMsMin = 200

/**
 * Mails a link that opens an account, within a day. The answer is the same, and as fast, where the
 * address has an account: then the mail says so; and where the address was mailed too often, whose earlier
 * links still work. Too many from one network are SV-6005; SV-1011 where nobody may sign up, SV-3002 where no mail is sent.
 */
export const requestSignUp = async (
  context: LoginContext,
  visitor: Visitor,
  { email }: RequestSignUpInput,
): Promise<{ requested: true } | Refusal> => {
  const otherMode = refuseMode(context.signUp, 'by_mail')
  if (otherMode !== null) return otherMode
  const tooMany = await context.throttle.take(fromNetworks('sign up', visitor, signUpRules))
  if (tooMany !== null) return tooManySignUps(tooMany)
  const mailOnce = async (): Promise<void> => {
    const about = { text: `mail a sign-up to ${email.toLowerCase()}`, rule: mailRule }
    if ((await context.throttle.take([about])) === null) await mailLink(context, email)
  }
  await Promise.all([mailOnce(), wait(answerMsMin)])
  return { requested: true }
}

const mailLink = async ({ sql, now, publicUrl }: LoginContext, email: string): Promise<void> => {
  const nowMs = now()
  const id = uuidv7(nowMs)
  const expiresAtMs = nowMs + signUpMsMax
  const mail = { kind: 'mail', cause: `sign_up ${id}`, expiresAtMs } as const
  const user = await findUserByEmail(sql, email)
  if (user !== null) {
    const message = knownMail(`${publicUrl}/login`)
    const known = { ...mail, accountId: user.accountId, recipient: user.email, message }
    return transact(sql, (tx) => insertDeliveries(tx, [known], nowMs))
  }
  const token = makeToken()
  const message = signUpMail(`${publicUrl}/signup/confirm?token=${token}`)
  return transact(sql, async (tx) => {
    await insertSignUp(tx, { id, email, createdAtMs: nowMs, expiresAtMs }, tokenHash(token))
    await insertDeliveries(tx, [{ ...mail, accountId: null, recipient: email, message }], nowMs)
  })
}
