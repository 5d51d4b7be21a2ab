import type { JsonConfigOf } from '@probe-mesh/contracts/channel/json-forms'
import { Webhook } from 'standardwebhooks'
import type { ChannelRequest, OutgoingMessage } from './request.ts'

/**
 * The generic format: Standard Webhooks, signed when the channel has a secret. Receivers refuse signatures
 * older than five minutes, so each attempt is signed again.
 */
export const formatDefault = (
  config: JsonConfigOf<'default'>,
  { id, message, nowMs }: OutgoingMessage,
): ChannelRequest => {
  const { event, at, ...data } = message
  const body = JSON.stringify({ type: event, timestamp: at, data })
  const sentAt = new Date(nowMs)
  return {
    url: config.url,
    headers: {
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      ...(config.secret === undefined
        ? {}
        : { 'webhook-signature': webhookOf(config.secret).sign(id, sentAt, body) }),
    },
    body,
  }
}

/** `whsec_` is followed by a base64 key; any other text is a key by its UTF-8 bytes. */
const webhookOf = (secret: string): Webhook =>
  secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' })
