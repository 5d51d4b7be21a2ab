import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import type { ChannelRequest, OutgoingMessage } from './request.ts'
import { severityOf } from './severity.ts'
import { factLines, fit, fitBytes } from './text.ts'

/** A longer message becomes an attached file. */
const messageBytesMax = 4_096
const titleMax = 250

const priorities = { critical: 5, warning: 4, info: 3, ok: 3 } as const
/** Names of emojis, which ntfy shows before the title. */
const tags = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'test_tube',
  ok: 'white_check_mark',
} as const

/** Published as JSON to the root of the server, so that no text has to fit into a header. */
export const formatNtfy = (config: JsonConfigOf<'ntfy'>, { message }: OutgoingMessage): ChannelRequest => {
  const { root, topic } = topicOf(config.topicUrl)
  const severity = severityOf(message)
  return {
    url: root,
    headers: config.accessToken === undefined ? {} : { authorization: `Bearer ${config.accessToken}` },
    body: JSON.stringify({
      topic,
      title: fit(message.title, titleMax),
      message: fitBytes(`${message.text}\n\n${factLines(message)}`.trim(), messageBytesMax),
      priority: priorities[severity],
      tags: [tags[severity]],
      click: message.url,
    }),
  }
}

const topicOf = (topicUrl: string): { root: string; topic: string } => {
  const url = new URL(topicUrl)
  const [, path = '', topic = ''] = /^(.*\/)([^/]+)$/.exec(url.pathname) ?? []
  return { root: `${url.origin}${path}`, topic }
}
