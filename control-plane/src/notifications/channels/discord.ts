import type { ChannelMessage } from '../message.ts'
import { cut, escapeMarkdown } from './request.ts'
import type { Form, Sending } from './request.ts'

/** Discord refuses an embed that is longer; all of it together has 6,000 characters. */
const titleMax = 256
const textMax = 3_000
const fieldsMax = 10
const fieldNameMax = 60
const fieldValueMax = 180

const colors = {
  alert: 0xd93025,
  reminder: 0xd93025,
  digest: 0xe37400,
  recovery: 0x188038,
  test: 0x1a73e8,
} as const satisfies Record<ChannelMessage['event'], number>

/** An embed, which mentions nobody whatever its texts hold. */
export const discordForm = (config: { webhookUrl: string }, { message }: Sending): Form => ({
  url: config.webhookUrl,
  headers: {},
  body: JSON.stringify({
    embeds: [
      {
        title: cut(escapeMarkdown(message.title), titleMax),
        description: cut(escapeMarkdown(message.text), textMax),
        url: message.url,
        color: colors[message.event],
        timestamp: message.at,
        fields: message.facts.slice(0, fieldsMax).map(({ name, value }) => ({
          name: cut(escapeMarkdown(name), fieldNameMax),
          value: cut(escapeMarkdown(value), fieldValueMax),
          inline: true,
        })),
      },
    ],
    allowed_mentions: { parse: [] },
  }),
})
