import { renderTemplate } from '@probe-mesh/contracts/channel/body-template'
import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { parseHeaders } from '@probe-mesh/contracts/channel/template-headers'
import type { ChannelRequest, OutgoingMessage } from './request.ts'
import { severityOf } from './severity.ts'
import { factLines, fit } from './text.ts'

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const

const titleMax = 500
const textMax = 4_000

/** The owner's own body, with the fields of the message. */
export const formatTemplate = (
  config: JsonConfigOf<'template'>,
  { id, message }: OutgoingMessage,
): ChannelRequest => ({
  url: config.url,
  headers: {
    ...Object.fromEntries(parseHeaders(config.headers ?? '').map(({ name, value }) => [name, value])),
    'content-type': contentTypes[config.contentType],
  },
  body: renderTemplate(config.body, config.contentType, {
    event: message.event,
    state: message.event === 'recovery' || message.event === 'resolved' ? 'closed' : 'open',
    severity: severityOf(message),
    title: fit(message.title, titleMax),
    text: fit(message.text, textMax),
    facts: fit(factLines(message), textMax),
    url: message.url,
    at: message.at,
    alertKey: message.alertKey,
    deliveryId: id,
  }),
})
