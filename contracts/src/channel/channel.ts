import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Line, Instant } from '../schema/text.ts'
import { ChannelKey, ChannelUrl } from './config-fields.ts'
import { JsonConfig, jsonForms, type JsonForm } from './json-forms.ts'

export const ChannelType = z.enum(['discord', 'teams', 'opsgenie', 'json'])
export type ChannelType = z.infer<typeof ChannelType>

/** Config keys of each type (S-2001). All are credentials, so they are write-only. */
export const channelConfigs = {
  discord: z.strictObject({ webhookUrl: ChannelUrl }),
  teams: z.strictObject({ webhookUrl: ChannelUrl }),
  opsgenie: z.strictObject({ apiKey: ChannelKey, apiUrl: ChannelUrl.optional() }),
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
  id: z.string(),
  type: ChannelType,
  name: z.string(),
  /** Whether a test send succeeded since the last change. Until then the channel gets no alerts. */
  verified: z.boolean(),
  /** Enough to recognise the credential, never enough to use it. */
  configSummary: z.record(z.string(), z.string()),
})
export type Channel = z.infer<typeof Channel>

export const CreateChannelInput = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('discord'), name: Line, config: channelConfigs.discord }),
  z.strictObject({ type: z.literal('teams'), name: Line, config: channelConfigs.teams }),
  z.strictObject({ type: z.literal('opsgenie'), name: Line, config: channelConfigs.opsgenie }),
  z.strictObject({ type: z.literal('json'), name: Line, config: channelConfigs.json }),
])
export type CreateChannelInput = z.infer<typeof CreateChannelInput>

/** The type cannot change. `config` is replaced as a whole; the operation checks it against the type's keys. */
export const UpdateChannelInput = z.strictObject({
  type: ChannelType.optional(),
  name: Line.optional(),
  config: z.record(z.string(), z.unknown()).optional(),
})
export type UpdateChannelInput = z.infer<typeof UpdateChannelInput>

export const ChannelParams = z.object({ id: Uuid })

/** The result of a test send: the receiver's response, as text. */
export const ChannelTest = z.object({
  channel: Channel,
  delivered: z.boolean(),
  httpStatus: z.int().nullable(),
  detail: z.string(),
})
export type ChannelTest = z.infer<typeof ChannelTest>

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
