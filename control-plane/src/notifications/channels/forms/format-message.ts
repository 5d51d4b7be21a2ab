import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { formatDiscord } from './discord.ts'
import { formatForm } from './format-form.ts'
import { formatOpsgenie } from './opsgenie.ts'
import { formatTeams } from './teams.ts'
import type { ChannelRequest, OutgoingMessage } from './request.ts'

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
      return formatForm(config, outgoing)
  }
}
