import type { Email } from 'postal-mime'
import { vi } from 'vitest'
import type { WebSystem } from '../system.ts'

/** Waits for a mail to this address. */
export const mailOf = async ({ peers }: WebSystem, email: string, subject: RegExp): Promise<Email> =>
  vi.waitFor(async () => {
    const mails = (await peers.mail.mailboxes()).get(email) ?? []
    const found = mails.find((mail) => subject.test(mail.subject ?? ''))
    if (found === undefined) throw new Error(`${email} got no mail about ${subject}`)
    return found
  })

/** The link in a mail. @throws Error without a link to that path */
export const linkIn = ({ text }: Email, path: string): string => {
  const link = new RegExp(`https?://\\S+${path}\\S*`).exec(text ?? '')?.[0]
  if (link === undefined) throw new Error(`the mail has no link to ${path} in: ${text}`)
  return link
}
