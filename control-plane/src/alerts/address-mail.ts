import { addressConfirmationDays } from '@probe-mesh/contracts/alert/alert-address'
import type { MailMessage } from '../notifications/mail/mail.ts'
import { frameMail } from '../subscribers/mail-frame.ts'
import { plainName } from '../subscribers/plain-name.ts'

/** The pages that the links in mails to addresses open, below the public URL. */
export const confirmAddressUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/alert-mails/confirm?token=${token}`
export const endAddressUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}/alert-mails/unsubscribe/${token}`

/**
 * The mail that asks an address to confirm alerts. The receiver may not know the account, so the words are ours,
 * and the name of the account is plain text without links.
 */
export const addressMail = (accountName: string, confirmUrl: string): MailMessage => {
  const subject = 'Confirm alerts by mail'
  const account = `"${plainName(accountName, 'an account')}"`
  return {
    subject,
    isPrivate: true,
    ...frameMail({
      language: 'en',
      heading: subject,
      body: `${account} on Probe Mesh (${new URL(confirmUrl).host}) wants to send alerts about its checks to this address. Open the link to confirm. It works once, within ${addressConfirmationDays} days.`,
      link: { label: 'Confirm', url: confirmUrl },
      footer: 'If you did not expect this mail, ignore it. You will get no alerts.',
    }),
  }
}
