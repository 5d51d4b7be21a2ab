import { oneLine } from '@probe-mesh/runtime/one-line'
import { html, textOf } from '@probe-mesh/runtime/html'
import type { TellReaders } from '../secrets/readers.ts'
import type { MailMessage } from './mail/mail.ts'
import { mailMembers } from './mail-members.ts'

const mailMs = 3 * 86_400_000
/** Names in a mail. */
const namedMax = 20

/** Mails every member that private agents may open secrets from now on. */
export const tellReaders =
  (publicUrl: string): TellReaders =>
  async (tx, { accountId, nowMs, ...news }) => {
    const message = readerMail({ ...news, url: `${publicUrl}/dashboard/secrets` })
    const cause = `secret-agents:${accountId}:${nowMs}:${crypto.randomUUID()}`
    await mailMembers(tx, accountId, { cause, message, expiresAtMs: nowMs + mailMs }, nowMs)
  }

const readerMail = (news: {
  by: string
  secrets: readonly string[]
  agents: readonly string[]
  url: string
}): MailMessage => {
  const { by, url } = news
  const [secrets, agents] = [listed(news.secrets), listed(news.agents)]
  const [count, some] = [news.secrets.length, news.agents.length]
  const subject = `${some === 1 ? agents : `${some} agents`} can now open ${count === 1 ? secrets : `${count} secrets`}`
  const said = `${by} gave the token of ${agents} access to ${secrets}.`
  const next =
    'The holder of the token can read the values. If you do not know of this, remove the agent from the secret, revoke it, and replace the value:'
  return {
    subject,
    text: `${said}\n\n${next}\n${url}\n`,
    html: textOf(
      html`<p>${said}</p>
        <p>${next}</p>
        <p><a href="${url}">${url}</a></p>`,
    ),
  }
}

const listed = (names: readonly string[]): string => {
  const more = names.length - namedMax
  const shown = names.slice(0, namedMax).map(oneLine).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
