import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { rootOf, type ChannelRequest, type OutgoingMessage } from './request.ts'
import { severityOf } from './severity.ts'
import { factLines, fit, orTitle } from './text.ts'

const titleMax = 250
const textMax = 5_000

/** From 8 on a phone makes a sound and shows the message at once; below 4 it is silent. */
const priorities = { critical: 10, warning: 8, info: 5, ok: 5 } as const

/** Plain text, whatever the client would show without being told. */
export const formatGotify = (
  config: JsonConfigOf<'gotify'>,
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: `${rootOf(config.url)}/message`,
  headers: { 'x-gotify-key': config.token },
  body: JSON.stringify({
    title: fit(message.title, titleMax),
    message: fit(orTitle(`${message.text}\n\n${factLines(message)}`.trim(), message), textMax),
    priority: priorities[severityOf(message)],
    extras: {
      'client::display': { contentType: 'text/plain' },
      'client::notification': { click: { url: message.url } },
    },
  }),
})
