import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import type { ChannelRequest, OutgoingMessage } from './request.ts'
import { escapeAngles, factLines, fit, keyWithin, orTitle } from './text.ts'

/** A message has 32,000 bytes: these limits stay below it whatever the text has to be escaped to. */
const titleMax = 300
const textMax = 2_500
const factsMax = 1_500
const keyMax = 1_000

/**
 * A card, whose texts are HTML with escaped values. Messages about an alert share a thread. The text outside of
 * cards has a markup that cannot be escaped, so there is none.
 */
export const formatGoogleChat = (
  config: JsonConfigOf<'google_chat'>,
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: inThreads(config.webhookUrl),
  headers: {},
  body: JSON.stringify({
    fallbackText: fit(message.title, titleMax),
    thread: { threadKey: keyWithin(message.alertKey, keyMax) },
    cardsV2: [
      {
        cardId: 'message',
        card: {
          header: { title: fit(message.title, titleMax) },
          sections: [
            {
              widgets: [
                ...[
                  fit(orTitle(message.text, message), textMax, asLine),
                  fit(factLines(message), factsMax, asLine),
                ]
                  .filter((text) => text !== '')
                  .map((text) => ({ textParagraph: { text } })),
                {
                  buttonList: {
                    buttons: [{ text: 'View details', onClick: { openLink: { url: message.url } } }],
                  },
                },
              ],
            },
          ],
        },
      },
    ],
  }),
})

const asLine = (character: string): string => (character === '\n' ? '<br>' : escapeAngles(character))

/** A thread that does not exist yet is started. */
const inThreads = (webhookUrl: string): string => {
  const url = new URL(webhookUrl)
  url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
  return url.href
}
