import type { ChannelMessage } from './message.ts'
import { truncate } from './request.ts'
import type { ChannelRequest, OutgoingMessage } from './request.ts'

const apiUrlDefault = 'https://api.opsgenie.com'

/** Limits of Opsgenie. */
const messageMax = 130
const aliasMax = 512
const textMax = 15_000
const detailMax = 1_000

const priorities = {
  alert: 'P2',
  reminder: 'P2',
  digest: 'P1',
  recovery: 'P5',
  test: 'P5',
} as const satisfies Record<ChannelMessage['event'], string>

/**
 * All messages about an alert share an alias: the first opens it, a reminder increments its count, the
 * recovery closes it.
 */
export const formatOpsgenie = (
  config: { apiKey: string; apiUrl?: string | undefined },
  { message }: OutgoingMessage,
): ChannelRequest => {
  const alias = message.alertKey.slice(0, aliasMax)
  const at = (path: string): string => `${apiUrlOf(config)}/v2/alerts${path}`
  const headers = { authorization: `GenieKey ${config.apiKey}` }
  if (message.event === 'recovery') {
    return {
      url: at(`/${encodeURIComponent(alias)}/close?identifierType=alias`),
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
        [...message.facts, { name: 'at', value: message.at }].map(({ name, value }) => [
          name,
          truncate(value, detailMax),
        ]),
      ),
      priority: priorities[message.event],
    }),
  }
}

export const apiUrlOf = ({ apiUrl }: { apiUrl?: string | undefined }): string =>
  (apiUrl ?? apiUrlDefault).replace(/[?#].*$/, '').replace(/\/+$/, '')
