import type { Channel } from '@probe-mesh/contracts/channel/channel'
import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { Api } from '../api/create-api.ts'
import type { Answer } from '../api/failure.ts'
import { findOne } from '../api/find-one.ts'
import type { Applied, Resource } from '../protocol/resource.ts'
import type { Schema } from '../protocol/schema.ts'
import { mapOf } from '../protocol/type.ts'
import { toObject } from '../protocol/value.ts'
import type { ObjectValue, Value } from '../protocol/value.ts'
import { channelTypes, validateChannel } from './channel-config.ts'
import { failureDiagnostics } from './failure-diagnostics.ts'
import { importById } from './import-id.ts'
import { oneOf } from './rules.ts'
import { bodyValue, isSame, settle, textOf, valueOf } from './settle.ts'
import { asBefore } from './upgrades.ts'

const schema: Schema = {
  version: 1,
  description:
    'A channel over which alerts are sent. The API never returns the credential, so a change of it outside of Terraform is not seen, and the plan after an import writes it once.',
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
      description: `One of ${channelTypes.map((type) => `\`${type}\``).join(', ')}. Changing it makes another channel.`,
      replaces: true,
      validate: oneOf(channelTypes),
    },
    name: { type: 'string', presence: 'required', description: 'What the channel is called.' },
    config: {
      type: mapOf('string'),
      presence: 'required',
      description:
        'Where messages go, and the credential: `webhookUrl` for `discord` and `teams`, `apiKey` and perhaps `apiUrl` for `opsgenie`, `url` and perhaps `secret` for `json`. It is kept in the state, which is to be guarded for it.',
      isSensitive: true,
    },
    verified: {
      type: 'bool',
      presence: 'computed',
      description:
        'Whether a test send has succeeded since the channel was last changed. Until then alerts wait: send a test in the dashboard or by POST /v1/notification-channels/:id/test.',
    },
  },
}

/** A channel, whose `config` is never read back (S-2706). */
export const notificationChannel: Resource<Api> = {
  name: 'service_notification_channel',
  schema,
  upgrades: asBefore,
  validate: validateChannel,
  create: async (api, planned, context) => {
    const body = createBody(planned)
    const answer = await api.call('createChannel', { body }, context)
    return toApplied(answer, 'The channel was not created', null, planned)
  },
  read: async (api, state, context) => {
    const id = textOf(state, 'id')
    const found = await findOne(id, context, {
      list: api.channels,
      get: (asking) => api.call('getChannel', { params: { id } }, asking),
    })
    if (found.ok) {
      const config = valueOf(state, 'config')
      return {
        state: found.value === null ? null : toState(found.value, config),
        diagnostics: [],
      }
    }
    const undone = 'The channel could not be read'
    return { state, diagnostics: failureDiagnostics(schema, undone, found.failure) }
  },
  update: async (api, prior, planned, context) => {
    const call = { params: { id: textOf(prior, 'id') }, body: changes(prior, planned) }
    const answer = await api.call('updateChannel', call, context)
    return toApplied(answer, 'The channel was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const params = { id: textOf(prior, 'id') }
    const answer = await api.call('deleteChannel', { params }, context)
    if (answer.ok) return []
    return failureDiagnostics(schema, 'The channel was not deleted', answer.failure)
  },
  importState: importById(schema, 'notification channel'),
}

type CreateBody = RouteCall<'createChannel'>['body']
type ChangeBody = RouteCall<'updateChannel'>['body']

/** The schema holds each value to its field's type; whatever else is wrong with it the API refuses. */
const createBody = (planned: ObjectValue): CreateBody =>
  Object.fromEntries(
    ['type', 'name', 'config'].map((name) => [name, bodyValue(valueOf(planned, name))]),
  ) as CreateBody

/** What changes; a config is replaced whole. */
const changes = (prior: ObjectValue, planned: ObjectValue): ChangeBody =>
  Object.fromEntries(
    ['name', 'config']
      .filter((name) => !isSame(valueOf(prior, name), valueOf(planned, name)))
      .map((name) => [name, bodyValue(valueOf(planned, name))]),
  )

/** @param config as it was written: the API never returns it */
const toState = (channel: Channel, config: Value): ObjectValue =>
  toObject([
    ['id', channel.id],
    ['type', channel.type],
    ['name', channel.name],
    ['config', config],
    ['verified', channel.verified],
  ])

const toApplied = (
  answer: Answer<Channel>,
  undone: string,
  before: ObjectValue | null,
  planned: ObjectValue,
): Applied =>
  answer.ok
    ? {
        state: settle(schema, planned, toState(answer.value, valueOf(planned, 'config'))),
        diagnostics: [],
      }
    : { state: before, diagnostics: failureDiagnostics(schema, undone, answer.failure) }
