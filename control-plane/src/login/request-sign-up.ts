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

/** How long a mailed link is valid, ms. */
const signUpMsMax = 24 * 3_600_000

/** The mail with a sign-up link. */
const signUpMail = (url: string): MailMessage =>
  mailOf('Create your Probe Mesh account', url, {
    first: 'Open this link to choose a name and a password. It works once, within 24 hours:',
    last: 'If you did not request it, ignore this mail. No account was created.',
  })

/** The mail to an address that has an account already. @param url of the login. */
const knownMail = (url: string): MailMessage =>
  mailOf('You have a Probe Mesh account', url, {
    first: 'Someone requested an account for this address, which already has one. Log in here:',
    last: 'If it was not you, ignore this mail. Nothing was changed.',
  })

const mailOf = (
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

/** Longer than storing a mail takes, so that the response time does not reveal which mail was sent. */
const answerMsMin = 200

/**
 * Mails a sign-up link that works for 24 hours. The answer and its time are the same for an address with an
 * account, which gets another mail, and for an address with too many mails, whose earlier links still work.
 * SV-6005 for too many requests of one network, SV-1011 if sign-up is closed, SV-3002 if no mail is sent.
 */
export const requestSignUp = async (
  context: LoginContext,
  visitor: Visitor,
  { email }: RequestSignUpInput,
): Promise<{ requested: true } | Refusal> => {
  const otherMode = refuseMode(context.signUp, 'by_mail')
  if (otherMode !== null) return otherMode
  const tooMany = await context.throttle.count(fromNetworks('sign up', visitor, signUpRules))
  if (tooMany !== null) return tooManySignUps(tooMany)
  const mailOnce = async (): Promise<void> => {
    const about = { text: `mail a sign-up to ${email.toLowerCase()}`, rule: mailRule }
    if ((await context.throttle.count([about])) === null) await mailLink(context, email)
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
