import type { ChannelMessage } from './message.ts'
import { isTicket } from './severity.ts'
import { keyWithin } from './text.ts'
import { rootOf, truncate, type ChannelRequest, type OutgoingMessage } from './request.ts'

const apiUrlDefault = 'https://api.opsgenie.com'

/** Limits of Opsgenie. */
const messageMax = 130
const aliasMax = 512
const textMax = 15_000
/** All details together may have 8,000 characters. */
const detailsMax = 8
const detailNameMax = 100
const detailMax = 800

const priorities = {
  alert: 'P2',
  reminder: 'P2',
  digest: 'P1',
  recovery: 'P5',
  acknowledged: 'P5',
  resolved: 'P5',
  test: 'P5',
} as const satisfies Record<ChannelMessage['event'], string>

/** Messages that act on the alert of another message. */
const acts: Partial<Record<ChannelMessage['event'], string>> = {
  acknowledged: 'acknowledge',
  resolved: 'close',
  recovery: 'close',
}

/**
 * All messages about an alert share an alias: the first opens it, a reminder increments its count, an
 * acknowledgement marks it, the recovery closes it.
 */
export const formatOpsgenie = (
  config: { apiKey: string; apiUrl?: string | undefined },
  { message }: OutgoingMessage,
): ChannelRequest => {
  const alias = keyWithin(message.alertKey, aliasMax)
  const at = (path: string): string => `${rootOf(config.apiUrl ?? apiUrlDefault)}/v2/alerts${path}`
  const headers = { authorization: `GenieKey ${config.apiKey}` }
  const act = acts[message.event]
  if (act !== undefined) {
    return {
      url: at(`/${encodeURIComponent(alias)}/${act}?identifierType=alias`),
      headers,
      body: JSON.stringify({ note: truncate(`${message.title}\n${message.text}`, textMax) }),
    }
  }
  return {
    url: at(''),
    headers,
    body: JSON.stringify({
      message: truncate(message.title, messageMax),
      alias,
      description: truncate(`${message.text}\n${message.url}`, textMax),
      details: Object.fromEntries(
        [...message.facts.slice(0, detailsMax), { name: 'at', value: message.at }].map(({ name, value }) => [
          truncate(name, detailNameMax),
          truncate(value, detailMax),
        ]),
      ),
      priority: isTicket(message) ? 'P4' : priorities[message.event],
    }),
  }
}
