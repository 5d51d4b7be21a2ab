import type { ChannelType } from '@probe-mesh/contracts/channel/channel'
import type { Schema } from '../protocol/schema.ts'
import { mapOf } from '../protocol/value.ts'
import { oneOf } from './rules.ts'

export const channelTypes: readonly ChannelType[] = ['discord', 'teams', 'opsgenie', 'json']

export const channelSchema: Schema = {
  version: 1,
  description:
    'A channel that alerts are sent to. The API never returns the credential: Terraform does not see changes made elsewhere, and the first plan after an import writes it once.',
  attributes: {
    id: {
      type: 'string',
      presence: 'computed',
      description: 'The id of the channel, a UUID.',
      keeps: true,
    },
    type: {
      type: 'string',
      presence: 'required',
      description: `One of ${channelTypes.map((type) => `\`${type}\``).join(', ')}. Changing it replaces the channel.`,
      replaces: true,
      validate: oneOf(channelTypes),
    },
    name: { type: 'string', presence: 'required', description: 'The name of the channel.' },
    config: {
      type: mapOf('string'),
      presence: 'optional',
      description:
        'The destination and the credential: `webhookUrl` for `discord` and `teams`, `apiKey` and optionally `apiUrl` for `opsgenie`, `url` and optionally `secret` for `json`, or `form` and the keys of that form. The state contains it: protect the state, or use `config_wo`. A new channel needs one of the two; an imported one without keeps what it has.',
      isSensitive: true,
    },
    config_wo: {
      type: mapOf('string'),
      presence: 'optional',
      description:
        'As `config`, from Terraform 1.11 on and never in a plan or state. It may be ephemeral. It is sent when the channel is created and when `config_wo_version` changes.',
      isSensitive: true,
      isWriteOnly: true,
    },
    config_wo_version: {
      type: 'number',
      presence: 'optional',
      description: 'Any number; required with `config_wo`. Another one sends `config_wo` again.',
    },
    verified: {
      type: 'bool',
      presence: 'computed',
      description:
        'Whether a test message was sent successfully since the last change of the channel. Until then alerts wait: send a test in the dashboard or with POST /v1/notification-channels/:id/test.',
    },
  },
}
