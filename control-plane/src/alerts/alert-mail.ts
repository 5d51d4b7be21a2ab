import type { ChannelMessage, MailMessage } from '../notifications/message.ts'
import { html, textOf, withBreaks } from '@probe-mesh/runtime/html'

/** What is told over channels, as a letter to a user of the account. */
export const composeAlertMail = ({ title, text, facts, url }: ChannelMessage): MailMessage => {
  const lines = facts.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return {
    subject: title,
    text: `${text}\n\n${lines}\n\n${url}\n`,
    html: textOf(
      html`<p>${withBreaks(text)}</p>
        <p>${withBreaks(lines)}</p>
        <p><a href="${url}">${url}</a></p>`,
    ),
  }
}
