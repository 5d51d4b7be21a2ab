import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { discordForm } from './discord.ts'
import { jsonForm } from './json.ts'
import { opsgenieForm } from './opsgenie.ts'
import { teamsForm } from './teams.ts'
import type { Form, Sending } from './request.ts'

/** A message in the form that a channel's type has for it. */
export const formOf = (channel: ChannelConfig, sending: Sending): Form => {
  const { url, headers, body } = typeForm(channel, sending)
  return {
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': sending.id, ...headers },
    body,
  }
}

const typeForm = ({ type, config }: ChannelConfig, sending: Sending): Form => {
  switch (type) {
    case 'discord':
      return discordForm(config, sending)
    case 'teams':
      return teamsForm(config, sending)
    case 'opsgenie':
      return opsgenieForm(config, sending)
    case 'json':
      return jsonForm(config, sending)
  }
}
