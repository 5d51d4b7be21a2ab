import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import { channelConfigs, configKeys, UpdateChannelInput } from '@probe-mesh/contracts/channel/channel'
import type { Channel, ChannelType } from '@probe-mesh/contracts/channel/channel'
import { jsonFormNames } from '@probe-mesh/contracts/channel/json-forms'
import { plainProblem } from '@probe-mesh/contracts/schema/plain-problem'
import type { Api } from '../api/create-api.ts'
import type { Answer } from '../api/failure.ts'
import { errorAt } from '../protocol/diagnostic.ts'
import type { Diagnostic, Path } from '../protocol/diagnostic.ts'
import type { PlannedChange, PlanRule, Resource } from '../protocol/resource.ts'
import type { Schema } from '../protocol/schema.ts'
import { mapOf, toObject, isObject } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { configuredProblems } from './configured-problems.ts'
import { idsOf, importById, objectCalls, upgrades } from './object-calls.ts'
import { oneOf } from './rules.ts'
import { bodyValue, isSame, textOf, valueOf } from './settle.ts'

const channelTypes = Object.keys(channelConfigs)

/** The rules of the type for `config` and `config_wo`; a null key counts as missing. No message repeats a value. */
const validateChannel = (channel: ObjectValue): Diagnostic[] => [
  ...configuredProblems(schema, channel, { name: 'name' }, NameInput),
  ...validateVersion(channel),
  ...validateValues(channel, 'config'),
  ...validateValues(channel, 'config_wo'),
]

const NameInput = UpdateChannelInput.pick({ name: true })

const validateVersion = (channel: ObjectValue): Diagnostic[] => {
  const [config, writeOnly, version] = ['config', 'config_wo', 'config_wo_version'].map(
    (name) => valueOf(channel, name) !== null,
  )
  const refuse = (name: string, summary: string, detail: string) => [
    errorAt([name], summary, `${name}: ${detail}`),
  ]
  if (config && writeOnly)
    return refuse('config_wo', 'Two configs', 'set either config or config_wo, not both.')
  if (writeOnly && !version) {
    const detail =
      'is required with config_wo. Raise it when config_wo changes: Terraform does not compare that.'
    return refuse('config_wo_version', 'Missing version', detail)
  }
  return version && !writeOnly ? refuse('config_wo_version', 'Version of nothing', 'needs config_wo.') : []
}

const validateValues = (channel: ObjectValue, name: 'config' | 'config_wo'): Diagnostic[] => {
  const type = valueOf(channel, 'type')
  const config = valueOf(channel, name)
  if (typeof type !== 'string' || !Object.hasOwn(channelConfigs, type) || !isObject(config)) return []
  const refuse = (path: Path, summary: string, detail: string) =>
    errorAt([name, ...path], summary, `${name}: ${detail}`)
  const form = valueOf(config, 'form')
  const keys = configKeys(type as ChannelType, form)
  if (keys === null) {
    if (typeof form !== 'string') return []
    return [refuse([{ key: 'form' }], 'Unknown form', `form must be one of ${jsonFormNames.join(', ')}.`)]
  }
  const what = typeof form === 'string' ? `${type} and form ${form}` : type
  const given = Object.entries(config).flatMap(([key, value]): Diagnostic[] => {
    const rule = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (value === null) return []
    if (rule === undefined) {
      const detail = `a channel of type ${what} takes the keys ${Object.keys(keys).join(', ')} and no other.`
      return [refuse([{ key }], 'Unknown config key', detail)]
    }
    const problem =
      typeof value === 'string' ? rule.safeParse(value, { error: plainProblem }).error?.issues[0] : undefined
    return problem === undefined
      ? []
      : [refuse([{ key }], 'Invalid value (SV-2001)', `${key} ${problem.message}`)]
  })
  const missing = Object.keys(keys).filter(
    (key) => !keys[key]?.safeParse(undefined).success && (config[key] ?? null) === null,
  )
  return [
    ...given,
    ...missing.map((key) =>
      refuse([], 'Missing config key', `a channel of type ${what} needs the key ${key}.`),
    ),
  ]
}

/** An imported channel keeps its credential; a new one needs one. */
const planChannel = ({ config, prior, planned }: PlannedChange): PlanRule => {
  const isMissing =
    prior === null && valueOf(config, 'config') === null && valueOf(config, 'config_wo') === null
  const detail = 'config: a new channel needs its destination and credential: set config, or config_wo.'
  return { planned, diagnostics: isMissing ? [errorAt(['config'], 'Missing config', detail)] : [] }
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
  validate: validateChannel,
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
