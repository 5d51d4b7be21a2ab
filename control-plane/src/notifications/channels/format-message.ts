import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { formatDiscord } from './discord.ts'
import { formatOpsgenie } from './opsgenie.ts'
import { formatTeams } from './teams.ts'
import type { ChannelRequest, OutgoingMessage } from './request.ts'
import { Webhook } from 'standardwebhooks'

/**
 * The generic format: Standard Webhooks, signed when the channel has a secret. Receivers refuse signatures
 * older than five minutes, so each attempt is signed again.
 */
const formatJson = (
  config: { url: string; secret?: string | undefined },
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

/** The request that carries a message, in the format of the channel's type. */
export const formatMessage = (channel: ChannelConfig, outgoing: OutgoingMessage): ChannelRequest => {
  const { url, headers, body } = formatForType(channel, outgoing)
  return {
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': outgoing.id, ...headers },
    body,
  }
}

const formatForType = ({ type, config }: ChannelConfig, outgoing: OutgoingMessage): ChannelRequest => {
  switch (type) {
    case 'discord':
      return formatDiscord(config, outgoing)
    case 'teams':
      return formatTeams(config, outgoing)
    case 'opsgenie':
      return formatOpsgenie(config, outgoing)
    case 'json':
      return formatJson(config, outgoing)
  }
}
