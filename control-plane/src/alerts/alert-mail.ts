import type { ChannelMessage, MailMessage } from '../notifications/message.ts'
import { escapeHtml, escapeLines } from '@probe-mesh/runtime/escape-html'

/** What is told over channels, as a letter to a user of the account. */
export const composeAlertMail = ({ title, text, facts, url }: ChannelMessage): MailMessage => {
  const lines = facts.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return {
    subject: title,
    text: `${text}\n\n${lines}\n\n${url}\n`,
    html: [
      `<p>${escapeLines(text)}</p>`,
      `<p>${escapeLines(lines)}</p>`,
      `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`,
    ].join('\n'),
  }
}
