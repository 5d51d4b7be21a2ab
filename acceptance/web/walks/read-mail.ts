import type { Email } from 'postal-mime'
import { vi } from 'vitest'
import type { WebSystem } from '../system.ts'

/** The mail that somebody has got, once it is there. */
export const mailOf = async ({ peers }: WebSystem, email: string, subject: RegExp): Promise<Email> =>
  vi.waitFor(async () => {
    const mails = (await peers.mail.mailboxes()).get(email) ?? []
    const found = mails.find((mail) => subject.test(mail.subject ?? ''))
    if (found === undefined) throw new Error(`${email} got no mail about ${subject}`)
    return found
  })

/** Where a mail leads. @throws Error where it has no link to that path */
export const linkIn = ({ text }: Email, path: string): string => {
  const link = new RegExp(`https?://\\S+${path}\\S*`).exec(text ?? '')?.[0]
  if (link === undefined) throw new Error(`the mail has no link to ${path} in: ${text}`)
  return link
}
