import type { ChannelMessage } from './message.ts'
import { truncate, escapeMarkdown, type ChannelRequest, type OutgoingMessage } from './request.ts'

/** Discord refuses longer embeds; the whole embed may have 6,000 characters. */
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
  acknowledged: 0x1a73e8,
  resolved: 0x1a73e8,
  test: 0x1a73e8,
} as const satisfies Record<ChannelMessage['event'], number>

/** An embed whose texts cannot mention anyone. */
export const formatDiscord = (
  config: { webhookUrl: string },
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: config.webhookUrl,
  headers: {},
  body: JSON.stringify({
    embeds: [
      {
        title: truncate(escapeMarkdown(message.title), titleMax),
        description: truncate(escapeMarkdown(message.text), textMax),
        url: message.url,
        color: colors[message.event],
        timestamp: message.at,
        fields: message.facts.slice(0, fieldsMax).map(({ name, value }) => ({
          name: truncate(escapeMarkdown(name), fieldNameMax),
          value: truncate(escapeMarkdown(value), fieldValueMax),
          inline: true,
        })),
      },
    ],
    allowed_mentions: { parse: [] },
  }),
})
