import type { ChannelMessage } from '../message.ts'
import { cut } from './request.ts'
import type { Form, Sending } from './request.ts'

const apiUrlDefault = 'https://api.opsgenie.com'

/** What Opsgenie takes of each. */
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
 * An alert under the alias that all messages about it share: opened by the first, counted up by a
 * reminder, closed by the recovery.
 */
export const opsgenieForm = (
  config: { apiKey: string; apiUrl?: string | undefined },
  { message }: Sending,
): Form => {
  const alias = message.alertKey.slice(0, aliasMax)
  const at = (path: string): string => `${apiUrlOf(config)}/v2/alerts${path}`
  const headers = { authorization: `GenieKey ${config.apiKey}` }
  if (message.event === 'recovery') {
    return {
      url: at(`/${encodeURIComponent(alias)}/close?identifierType=alias`),
      headers,
      body: JSON.stringify({ note: cut(`${message.title}\n${message.text}`, textMax) }),
    }
  }
  return {
    url: at(''),
    headers,
    body: JSON.stringify({
      message: cut(message.title, messageMax),
      alias,
      description: cut(`${message.text}\n${message.url}`, textMax),
      details: Object.fromEntries(
        [...message.facts, { name: 'at', value: message.at }].map(({ name, value }) => [
          name,
          cut(value, detailMax),
        ]),
      ),
      priority: priorities[message.event],
    }),
  }
}

export const apiUrlOf = ({ apiUrl }: { apiUrl?: string | undefined }): string =>
  (apiUrl ?? apiUrlDefault).replace(/[?#].*$/, '').replace(/\/+$/, '')
