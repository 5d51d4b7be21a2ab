import { setTimeout as wait } from 'node:timers/promises'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RequestLoginLinkInput } from '@probe-mesh/contracts/session'
import { insertDeliveries } from '../postgres/deliveries.ts'
import { insertLoginLink } from '../postgres/login-links.ts'
import { transact } from '../postgres/transact.ts'
import { findUserByEmail } from '../postgres/users.ts'
import { mailRule, networkRule } from './attempts.ts'
import type { LoginContext, Visitor } from './context.ts'
import { linkMsMax } from './link-age.ts'
import { loginMail } from './login-mail.ts'
import { makeToken, tokenHash } from './token.ts'

/** Longer than writing a link takes: how long the answer took does not tell whether there is one. */
const answerMsMin = 200

/**
 * Mails a link that logs in once, within 15 minutes. The answer is the same, and as fast, where
 * nobody has the address. Too many mails to one address or from one network are SV-6005, also where
 * nobody has the address.
 */
export const requestLink = async (
  context: LoginContext,
  visitor: Visitor,
  { email }: RequestLoginLinkInput,
): Promise<{ requested: true } | Refusal> => {
  const tooMany = await context.throttle.take([
    { text: `mail a link to ${email.toLowerCase()}`, rule: mailRule },
    { text: `mail a link for ${visitor.network}`, rule: networkRule },
  ])
  if (tooMany !== null) return tooMany
  await Promise.all([mailLink(context, email), wait(answerMsMin)])
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
