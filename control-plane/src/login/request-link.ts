import { setTimeout as wait } from 'node:timers/promises'
import { mailRule, networkRules } from '@probe-mesh/contracts/account/login-rules'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { RequestLoginLinkInput } from '@probe-mesh/contracts/account/session'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import { insertLoginLink } from './login-links-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findUserByEmail } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor } from './visitor.ts'
import { findKnown, fromNetworks } from './known.ts'
import { makeToken, tokenHash } from './token.ts'
import type { MailMessage } from '../notifications/mail/mail.ts'
import { html, textOf } from '@probe-mesh/runtime/html'

/** How long a mailed link is valid, ms. */
export const linkMsMax = 15 * 60_000

const minutes = linkMsMax / 60_000

/** The mail with a login link. */
export const loginMail = (url: string): MailMessage => {
  const first = `Open this link to log in to Probe Mesh. It works once, within ${minutes} minutes:`
  const last = 'If you did not request it, ignore this mail. No one has logged in.'
  return {
    subject: 'Log in to Probe Mesh',
    isPrivate: true,
    logsIn: true,
    text: `${first}\n\n${url}\n\n${last}\n`,
    html: textOf(
      html`<p>${first}</p>
        <p><a href="${url}">${url}</a></p>
        <p>${last}</p> `,
    ),
  }
}

/**
 * Longer than storing a link takes, so that the response time does not reveal whether there is an account.
 */
const answerMsMin = 200

/**
 * Mails a login link that works once, within 15 minutes. The answer and its time are the same for an unknown
 * address, and after too many mails. A known browser or network of the account has its own allowance. All
 * others share one, which does not lock the owner out: every link goes to the owner's address.
 */
export const requestLink = async (
  context: LoginContext,
  visitor: Visitor,
  { email }: RequestLoginLinkInput,
): Promise<{ requested: true }> => {
  const mailOnce = async (): Promise<void> => {
    const known = await findKnown(context, email, visitor)
    const about = `mail a link to ${email.toLowerCase()}`
    const subjects =
      known === null
        ? [{ text: about, rule: mailRule }, ...fromNetworks('mail a link', visitor, networkRules)]
        : [{ text: `${about} for ${known.kind} ${known.name}`, rule: mailRule }]
    if ((await context.throttle.count(subjects)) === null) await mailLink(context, email)
  }
  await Promise.all([mailOnce(), wait(answerMsMin)])
  return { requested: true }
}

const mailLink = async ({ sql, now, publicUrl }: LoginContext, email: string): Promise<void> => {
  const user = await findUserByEmail(sql, email)
  if (user === null) return
  const nowMs = now()
  const token = makeToken()
  const { accountId } = user
  const expiresAtMs = nowMs + linkMsMax
  const link = { id: uuidv7(nowMs), accountId, userId: user.id, createdAtMs: nowMs, expiresAtMs }
  await transact(sql, async (tx) => {
    await insertLoginLink(tx, link, tokenHash(token))
    const mail = {
      kind: 'mail',
      accountId,
      cause: `login_link ${link.id}`,
      recipient: user.email,
      message: loginMail(`${publicUrl}/login/link?token=${token}`),
      expiresAtMs,
    } as const
    await insertDeliveries(tx, [mail], nowMs)
  })
}
