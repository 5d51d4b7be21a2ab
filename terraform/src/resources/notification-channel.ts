import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { Channel } from '@probe-mesh/contracts/channel/channel'
import type { Api } from '../api/create-api.ts'
import type { Answer } from '../api/failure.ts'
import { errorAt } from '../protocol/diagnostic.ts'
import type { PlannedChange, PlanRule, Resource } from '../protocol/resource.ts'
import { toObject, type ObjectValue } from '../protocol/value.ts'
import { channelSchema as schema } from './notification-channel-schema.ts'
import { idsOf, importById, objectCalls, upgrades } from './object-calls.ts'
import { bodyValue, isSame, textOf, valueOf } from './settle.ts'

/** An imported channel keeps its credential; a new one needs one. */
const planChannel = ({ config, prior, planned }: PlannedChange): PlanRule => {
  const isMissing =
    prior === null && valueOf(config, 'config') === null && valueOf(config, 'config_wo') === null
  const detail = 'config: a new channel needs its destination and credential: set config, or config_wo.'
  return { planned, diagnostics: isMissing ? [errorAt(['config'], 'Missing config', detail)] : [] }
}

/** The API never returns the config: the state keeps what was written. */
const toState = (channel: Channel, before: ObjectValue): ObjectValue =>
  toObject([
    ['id', channel.id],
    ['type', channel.type],
    ['name', channel.name],
    ['config_wo', null],
    ...['config', 'config_wo_version'].map((name) => [name, valueOf(before, name)] as const),
    ['verified', channel.verified],
  ])

const { applied, read, removed } = objectCalls(schema, toState)

/** A channel, whose `config` is never read back (S-2706). */
export const notificationChannel: Resource<Api> = {
  name: 'service_notification_channel',
  schema,
  upgrades,
  validate: async (config) => (await import('./notification-channel-rules.ts')).validateChannel(config),
  plan: planChannel,
  create: async (api, planned, context) => {
    const body = createBody(planned)
    const answer = await api.call('createChannel', { body }, context)
    return applied(placed(answer, planned), 'The channel was not created', null, planned)
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
    const params = { id: textOf(prior, 'id') }
    const body = changes(prior, planned)
    // a configuration without a credential only drops it from the state
    const isKept = Object.keys(body).length === 0
    const answer = isKept
      ? await api.call('getChannel', { params }, context)
      : await api.call('updateChannel', { params, body }, context)
    return applied(placed(answer, planned), 'The channel was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const params = { id: textOf(prior, 'id') }
    const answer = await api.call('deleteChannel', { params }, context)
    return removed(answer, 'The channel was not deleted')
  },
  importState: importById(schema, 'notification channel'),
  suggestIds: async (api, text, context) => idsOf(await api.channels(context), text, (each) => [each.name]),
}

type CreateBody = RouteCall<'createChannel'>['body']
type ChangeBody = RouteCall<'updateChannel'>['body']

/** The schema checks the type of each value; the API checks everything else. */
const createBody = (planned: ObjectValue): CreateBody =>
  ({
    ...Object.fromEntries(['type', 'name'].map((name) => [name, bodyValue(valueOf(planned, name))])),
    config: bodyValue(valueOf(planned, credentialOf(planned))),
  }) as CreateBody

const credentialOf = (planned: ObjectValue): 'config' | 'config_wo' =>
  valueOf(planned, 'config') === null ? 'config_wo' : 'config'

/** The changed fields; a config is replaced as a whole. */
const changes = (prior: ObjectValue, planned: ObjectValue): ChangeBody => {
  const isChanged = (name: string): boolean => !isSame(valueOf(prior, name), valueOf(planned, name))
  const credential = credentialOf(planned)
  const config = valueOf(planned, credential)
  const isNew = isChanged(credential === 'config' ? 'config' : 'config_wo_version')
  return {
    ...(isChanged('name') ? { name: textOf(planned, 'name') } : {}),
    ...(isNew && config !== null ? { config: bodyValue(config) as Record<string, unknown> } : {}),
  }
}

/** A refusal of `config_wo` names the field of the API, which is `config`. */
const placed = <T>(answer: Answer<T>, planned: ObjectValue): Answer<T> => {
  if (answer.ok || credentialOf(planned) === 'config') return answer
  const errors = answer.failure.errors.map(({ path, ...problem }) => ({
    ...problem,
    path: path.replace(/^config(?=$|[.[])/, 'config_wo'),
  }))
  return { ok: false, failure: { ...answer.failure, errors } }
}
