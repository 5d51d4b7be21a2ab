import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { escapeMarkdown, type ChannelRequest, type OutgoingMessage } from './request.ts'
import { colorOf, severityOf } from './severity.ts'
import { fit } from './text.ts'

/** A post has 16,383 characters: these limits stay below it. */
const titleMax = 300
const textMax = 5_000
const fieldsMax = 10
const fieldMax = 300

/** Markdown is shown literally, and a name after @ mentions no one. */
const literal = (character: string): string => (character === '@' ? '@\u200b' : escapeMarkdown(character))

/** An attachment, whose title links to the details. */
export const formatMattermost = (
  config: JsonConfigOf<'mattermost'>,
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: config.webhookUrl,
  headers: {},
  body: JSON.stringify({
    attachments: [
      {
        fallback: fit(message.title, titleMax, literal),
        color: colorOf[severityOf(message)],
        title: fit(message.title, titleMax, literal),
        title_link: message.url,
        text: fit(message.text, textMax, literal),
        fields: message.facts.slice(0, fieldsMax).map(({ name, value }) => ({
          title: fit(name, fieldMax, literal),
          value: fit(value, fieldMax, literal),
          short: true,
        })),
      },
    ],
  }),
})
