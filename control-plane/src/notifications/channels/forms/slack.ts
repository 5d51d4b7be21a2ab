import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import type { ChannelRequest, OutgoingMessage } from './request.ts'
import { colorOf, severityOf } from './severity.ts'
import { escapeAngles, fit, orTitle } from './text.ts'

/** Limits of Block Kit. */
const titleMax = 150
const textMax = 3_000
const fieldsMax = 10
/** Shorter than the limit, since a field is one cell of two columns. */
const fieldMax = 300

const plain = (text: string, max: number) => ({
  type: 'plain_text',
  text: fit(text, max, escapeAngles),
  emoji: false,
})

/** Plain text blocks: no name or reason becomes a link, a mention or markup. */
export const formatSlack = (config: JsonConfigOf<'slack'>, { message }: OutgoingMessage): ChannelRequest => ({
  url: config.webhookUrl,
  headers: {},
  body: JSON.stringify({
    // what a notification shows
    text: fit(message.title, textMax, escapeAngles),
    mrkdwn: false,
    attachments: [
      {
        color: colorOf[severityOf(message)],
        blocks: [
          { type: 'header', text: plain(message.title, titleMax) },
          { type: 'section', text: plain(orTitle(message.text, message), textMax) },
          ...fieldsOf(message.facts),
          {
            type: 'actions',
            elements: [{ type: 'button', text: plain('View details', 75), url: message.url }],
          },
        ],
      },
    ],
  }),
})

const fieldsOf = (facts: OutgoingMessage['message']['facts']): object[] =>
  facts.length === 0
    ? []
    : [
        {
          type: 'section',
          fields: facts.slice(0, fieldsMax).map(({ name, value }) => plain(`${name}: ${value}`, fieldMax)),
        },
      ]
