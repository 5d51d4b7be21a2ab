import type { MailMessage } from '../notifications/message.ts'
import { html, textOf } from '@probe-mesh/runtime/html'
import { linkMsMax } from './link-age.ts'

const minutes = linkMsMax / 60_000

/** The letter with a login link. Pure. */
export const loginMail = (url: string): MailMessage => {
  const first = `Open this link to log in to Probe Mesh. It works once, within ${minutes} minutes:`
  const last = 'If you did not ask for it, do nothing: nobody was logged in.'
  return {
    subject: 'Log in to Probe Mesh',
    isPrivate: true,
    text: `${first}\n\n${url}\n\n${last}\n`,
    html: textOf(
      html`<p>${first}</p>
        <p><a href="${url}">${url}</a></p>
        <p>${last}</p> `,
    ),
  }
}
