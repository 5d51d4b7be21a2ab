import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { Channel, ChannelType } from '@probe-mesh/contracts/channel/channel'
import type { Api } from '../api/create-api.ts'
import { errorAt } from '../protocol/diagnostic.ts'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import type { Resource } from '../protocol/resource.ts'
import type { Schema } from '../protocol/schema.ts'
import { mapOf, toObject, isObject } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { importById, objectCalls, upgrades } from './object-calls.ts'
import { oneOf } from './rules.ts'
import { bodyValue, isSame, textOf, valueOf } from './settle.ts'

/** Keys of `config` by type; the API checks their values. */
export const configKeys = {
  discord: { required: ['webhookUrl'], optional: [] },
  teams: { required: ['webhookUrl'], optional: [] },
  opsgenie: { required: ['apiKey'], optional: ['apiUrl'] },
  json: { required: ['url'], optional: ['secret'] },
} as const satisfies Record<ChannelType, { required: string[]; optional: string[] }>

const channelTypes = Object.keys(configKeys)

/** Unknown and missing keys of the type; a null key counts as missing. No message repeats a value. */
const validateChannel = (channel: ObjectValue): Diagnostic[] => {
  const type = valueOf(channel, 'type')
  const config = valueOf(channel, 'config')
  if (typeof type !== 'string' || !Object.hasOwn(configKeys, type) || !isObject(config)) return []
  const keys: { required: readonly string[]; optional: readonly string[] } = configKeys[type as ChannelType]
  const known = [...keys.required, ...keys.optional]
  const given = Object.keys(config).filter((key) => config[key] !== null)
  const unknownKeys = given.filter((key) => !known.includes(key))
  const missing = keys.required.filter((key) => !given.includes(key))
  return [
    ...unknownKeys.map((key) =>
      errorAt(
        ['config', { key }],
        'Unknown config key',
        `config: a channel of type ${type} takes the keys ${known.join(', ')} and no other.`,
      ),
    ),
    ...missing.map((key) =>
      errorAt(['config'], 'Missing config key', `config: a channel of type ${type} needs the key ${key}.`),
    ),
  ]
}

const schema: Schema = {
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
      presence: 'required',
      description:
        'The destination and the credential: `webhookUrl` for `discord` and `teams`, `apiKey` and optionally `apiUrl` for `opsgenie`, `url` and optionally `secret` for `json`. The state contains it: protect the state.',
      isSensitive: true,
    },
    verified: {
      type: 'bool',
      presence: 'computed',
      description:
        'Whether a test message was sent successfully since the last change of the channel. Until then alerts wait: send a test in the dashboard or with POST /v1/notification-channels/:id/test.',
    },
  },
}

/** The API never returns the config: the state keeps what was written. */
const toState = (channel: Channel, before: ObjectValue): ObjectValue =>
  toObject([
    ['id', channel.id],
    ['type', channel.type],
    ['name', channel.name],
    ['config', valueOf(before, 'config')],
    ['verified', channel.verified],
  ])

const { applied, read, removed } = objectCalls(schema, toState)

/** A channel, whose `config` is never read back (S-2706). */
export const notificationChannel: Resource<Api> = {
  name: 'service_notification_channel',
  schema,
  upgrades,
  validate: validateChannel,
  create: async (api, planned, context) => {
    const body = createBody(planned)
    const answer = await api.call('createChannel', { body }, context)
    return applied(answer, 'The channel was not created', null, planned)
  },
  read: (api, state, context) => {
    const id = textOf(state, 'id')
    return read(state, 'The channel could not be read', context, {
      id,
      list: api.channels,
      get: (asking) => api.call('getChannel', { params: { id } }, asking),
    })
  },
  update: async (api, prior, planned, context) => {
    const call = { params: { id: textOf(prior, 'id') }, body: changes(prior, planned) }
    const answer = await api.call('updateChannel', call, context)
    return applied(answer, 'The channel was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const params = { id: textOf(prior, 'id') }
    const answer = await api.call('deleteChannel', { params }, context)
    return removed(answer, 'The channel was not deleted')
  },
  importState: importById(schema, 'notification channel'),
}

type CreateBody = RouteCall<'createChannel'>['body']
type ChangeBody = RouteCall<'updateChannel'>['body']

/** The schema checks the type of each value; the API checks everything else. */
const createBody = (planned: ObjectValue): CreateBody =>
  Object.fromEntries(
    ['type', 'name', 'config'].map((name) => [name, bodyValue(valueOf(planned, name))]),
  ) as CreateBody

/** The changed fields; a config is replaced as a whole. */
const changes = (prior: ObjectValue, planned: ObjectValue): ChangeBody =>
  Object.fromEntries(
    ['name', 'config']
      .filter((name) => !isSame(valueOf(prior, name), valueOf(planned, name)))
      .map((name) => [name, bodyValue(valueOf(planned, name))]),
  )
