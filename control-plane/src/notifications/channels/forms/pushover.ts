import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { rootOf, type ChannelRequest, type OutgoingMessage } from './request.ts'
import { severityOf } from './severity.ts'
import { fit, orTitle } from './text.ts'

const apiUrlDefault = 'https://api.pushover.net'

/** Limits of Pushover. */
const titleMax = 250
const messageMax = 1_024

/** 2, which repeats until someone acknowledges it, is left to those who chose a pager. */
const priorities = { critical: 1, warning: 0, info: 0, ok: 0 } as const

/** Plain text: without `html` no text is markup. */
export const formatPushover = (
  config: JsonConfigOf<'pushover'>,
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: `${rootOf(config.apiUrl ?? apiUrlDefault)}/1/messages.json`,
  headers: {},
  body: JSON.stringify({
    token: config.token,
    user: config.user,
    title: fit(message.title, titleMax),
    message: fit(orTitle(message.text, message), messageMax),
    url: message.url,
    url_title: 'View details',
    priority: priorities[severityOf(message)],
    timestamp: Math.floor(Date.parse(message.at) / 1_000),
  }),
})
