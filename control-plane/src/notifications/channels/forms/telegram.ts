import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { rootOf, type ChannelRequest, type OutgoingMessage } from './request.ts'
import { severityOf } from './severity.ts'
import { escapeAngles, factLines, fit } from './text.ts'

const apiUrlDefault = 'https://api.telegram.org'

/** A message has at most 4,096 characters after its entities are parsed: these limits stay below it. */
const titleMax = 500
const textMax = 2_000
const factsMax = 1_000

/** HTML with escaped texts: only the title is bold, and only the last line is a link. */
export const formatTelegram = (
  config: JsonConfigOf<'telegram'>,
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: `${rootOf(config.apiUrl ?? apiUrlDefault)}/bot${config.botToken}/sendMessage`,
  headers: {},
  body: JSON.stringify({
    chat_id: config.chatId,
    parse_mode: 'HTML',
    text: [
      `<b>${fit(message.title, titleMax, escapeAngles)}</b>`,
      fit(message.text, textMax, escapeAngles),
      fit(factLines(message), factsMax, escapeAngles),
      `<a href="${escapeAngles(message.url).replaceAll('"', '%22')}">View details</a>`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    link_preview_options: { is_disabled: true },
    disable_notification: severityOf(message) === 'ok',
  }),
})
