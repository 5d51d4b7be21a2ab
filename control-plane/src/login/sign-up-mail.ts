import type { MailMessage } from '../notifications/message.ts'
import { html, textOf } from '@probe-mesh/runtime/html'

/** How long a mailed link opens an account. */
export const signUpMsMax = 24 * 3_600_000

/** The letter with the link that opens an account. Pure. */
export const signUpMail = (url: string): MailMessage =>
  letter('Open your Probe Mesh account', url, {
    first: 'Open this link to choose a name and a password. It works once, within a day:',
    last: 'If you did not ask for it, do nothing: there is no account.',
  })

/** The letter to who has an account already, and asked for one. @param url of the login. Pure. */
export const knownMail = (url: string): MailMessage =>
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
