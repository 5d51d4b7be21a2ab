import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id, Uuid } from '../schema/ids.ts'
import { Line, Instant } from '../schema/text.ts'
import { apiKey, apiUrl, webhookUrl } from './config-fields.ts'
import { JsonConfig, jsonForms, type JsonForm } from './json-forms.ts'

export const ChannelType = z.enum(['discord', 'teams', 'opsgenie', 'json'])
export type ChannelType = z.infer<typeof ChannelType>

/** Config keys of each type (S-2001). All are credentials, so they are write-only. */
export const channelConfigs = {
  discord: z.strictObject({
    webhookUrl,
  }),
  teams: z.strictObject({
    webhookUrl,
  }),
  opsgenie: z.strictObject({
    apiKey,
    apiUrl,
  }),
  json: JsonConfig,
} as const satisfies Record<ChannelType, z.ZodType>

/**
 * The keys of a config, with their schemas; null for an unknown form of the `json` type.
 * @param form the value of the key `form`, which only `json` has
 */
export const configKeys = (type: ChannelType, form: unknown): Readonly<Record<string, z.ZodType>> | null => {
  if (type !== 'json') return channelConfigs[type].shape
  if (form === undefined || form === null) return jsonForms.default.shape
  return typeof form === 'string' && Object.hasOwn(jsonForms, form) ? jsonForms[form as JsonForm].shape : null
}

export const ChannelConfig = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('discord'), config: channelConfigs.discord }),
  z.strictObject({ type: z.literal('teams'), config: channelConfigs.teams }),
  z.strictObject({ type: z.literal('opsgenie'), config: channelConfigs.opsgenie }),
  z.strictObject({ type: z.literal('json'), config: channelConfigs.json }),
])
export type ChannelConfig = z.infer<typeof ChannelConfig>

export const Channel = z.object({
  id,
  type: field(ChannelType, 'Kind of receiver.', 'json'),
  name: field(z.string(), 'Name of the channel.', 'Ops'),
  verified: field(z.boolean(), 'Whether a test succeeded since the last change. Without: no alerts.', true),
  configSummary: field(
    z.record(z.string(), z.string()),
    'Enough to recognise the receiver, never enough to use it.',
    { url: 'https://hooks.example.com/…' },
  ),
})
export type Channel = z.infer<typeof Channel>
components.add(Channel, { id: 'Channel' })

const inputOf = <T extends string, C extends z.ZodType>(type: T, config: C) =>
  z.strictObject({
    type: field(z.literal(type), 'Kind of receiver.', 'json'),
    name: field(Line, 'Name of the channel.', 'Ops'),
    config: field(config, 'Credentials of the receiver. They are never returned.'),
  })

export const CreateChannelInput = z.discriminatedUnion('type', [
  inputOf('discord', channelConfigs.discord),
  inputOf('teams', channelConfigs.teams),
  inputOf('opsgenie', channelConfigs.opsgenie),
  inputOf('json', channelConfigs.json),
])
export type CreateChannelInput = z.infer<typeof CreateChannelInput>

/** The type cannot change. `config` is replaced as a whole; the operation checks it against the type's keys. */
export const UpdateChannelInput = z.strictObject({
  type: field(ChannelType.optional(), 'The type cannot change. If given, it must be the current one.'),
  name: field(Line.optional(), 'Name of the channel.', 'Ops'),
  config: field(
    z.record(z.string(), z.unknown()).optional(),
    'Replaces the whole configuration. The keys are those of the type.',
  ),
})
export type UpdateChannelInput = z.infer<typeof UpdateChannelInput>

export const ChannelParams = z.object({ id: field(Uuid, 'Id of the channel.') })

/** The result of a test send: the receiver's response, as text. */
export const ChannelTest = z.object({
  channel: field(Channel, 'Channel after the test.'),
  delivered: field(z.boolean(), 'Whether the receiver accepted the message.', true),
  httpStatus: field(z.int().nullable(), "Status of the receiver's response. null without one.", 204),
  detail: field(z.string(), 'What the receiver answered.', 'The receiver answered 204.'),
})
export type ChannelTest = z.infer<typeof ChannelTest>
components.add(ChannelTest, { id: 'ChannelTest' })

/** `dead` failed permanently. `kept` was not sent, since no mail server is configured. */
export const DeliveryState = z.enum(['pending', 'delivered', 'dead', 'kept'])
export type DeliveryState = z.infer<typeof DeliveryState>

const common = {
  id: z.string(),
  state: DeliveryState,
  attempts: z.int(),
  createdAt: Instant,
  /** The time of the next attempt; null without one. */
  nextAttemptAt: Instant.nullable(),
  expiresAt: Instant,
  deliveredAt: Instant.nullable(),
  lastError: z.string().nullable(),
  subject: z.string(),
  text: z.string(),
}

/** One message to one receiver, with its delivery state. */
export const Delivery = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mail'), ...common, recipient: z.string() }),
  z.object({
    kind: z.literal('channel'),
    ...common,
    channelId: z.string(),
    channelName: z.string(),
  }),
])
export type Delivery = z.infer<typeof Delivery>

/** A channel whose messages do not arrive: its receiver refused one for good, or fails in a row. */
export const FailingChannel = z.object({
  id: z.string(),
  since: Instant,
  /** The last answer, or why there was none. */
  detail: z.string(),
  /** Messages that wait for it. */
  waiting: z.int(),
})
export type FailingChannel = z.infer<typeof FailingChannel>

export const DeliveriesQuery = z.strictObject({
  state: DeliveryState.optional(),
  /** The id of the last delivery of the previous page. */
  before: Uuid.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

export const DeliveryParams = z.object({ id: Uuid })
