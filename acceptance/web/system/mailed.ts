import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import type { MailServer } from '@probe-mesh/infra/testing/mail-server'

/** Unused tokens of mailed links: each link opens a page with its button. */
export type Mailed = {
  login: string
  confirm: string
  unsubscribe: string
  invitation: string
  confirmAlerts: string
  endAlerts: string
}

/** The address of the seeded subscriber. */
export const readerEmail = 'reader@example.org'
/** The address of the open invitation. */
export const invitedEmail = 'kim@example.org'
/** The address that an alert rule names. */
export const alertedEmail = 'ops@example.net'

/**
 * Requests a login link and waits for its mail.
 * @param of.secretsKey of the system, which signs the links that end mails
 */
export const mailedTokens = async (
  { address, mail }: { address: string; mail: MailServer },
  of: { email: string; subscriberId: string; alertAddressId: string; secretsKey: string },
): Promise<Mailed> => {
  const answer = await fetch(`${address}/dashboard-api/login-links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: of.email }),
  })
  if (!answer.ok) throw new Error(`no login link was mailed: ${await answer.text()}`)
  return {
    login: await tokenIn(mail, of.email, '/login/link'),
    confirm: await tokenIn(mail, readerEmail, '/subscriptions/confirm'),
    invitation: await tokenIn(mail, invitedEmail, '/invitation'),
    confirmAlerts: await tokenIn(mail, alertedEmail, '/alert-mails/confirm'),
    unsubscribe: createUnsubscribeTokens(of.secretsKey).of(of.subscriberId),
    endAlerts: createUnsubscribeTokens(of.secretsKey).of(of.alertAddressId),
  }
}

const mailMsMax = 30_000
const pollMs = 100

const tokenIn = async (mail: MailServer, email: string, path: string): Promise<string> => {
  const end = performance.now() + mailMsMax
  for (;;) {
    for (const { text } of (await mail.mailboxes()).get(email) ?? []) {
      const token = new RegExp(`${path}\\?token=([\\w-]+)`).exec(text ?? '')?.[1]
      if (token !== undefined) return token
    }
    if (performance.now() > end) throw new Error(`${email} got no mail with a link to ${path}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
