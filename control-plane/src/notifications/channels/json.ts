import { Webhook } from 'standardwebhooks'
import type { Form, Sending } from './request.ts'

/**
 * The generic form: Standard Webhooks, signed where the channel has a secret. A receiver that
 * verifies the signature refuses what is older than five minutes, so each try is signed anew.
 */
export const jsonForm = (
  config: { url: string; secret?: string | undefined },
  { id, message, nowMs }: Sending,
): Form => {
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

/** `whsec_` and base64 is a key; any other text is one by its UTF-8 bytes. */
const webhookOf = (secret: string): Webhook =>
  secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' })
