import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'
import { RuleAddresses } from './alert-address.ts'

/** Statuses that a rule can select. A blocked check of an account counts as `degraded`, with the evidence. */
export const AlertStatus = z.enum(['down', 'degraded', 'stale'])
export type AlertStatus = z.infer<typeof AlertStatus>

const afterSecondsMax = 86_400
export const checksPerRuleMax = 1_000
const channelsMax = 100
/** As many as an account has members. */
const usersMax = 50

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length

/** Days before an expiry on which a rule notifies by default. */
export const expiryDaysDefault: readonly number[] = [14, 7, 1]
const expiryDaysMax = 90

const expiryDays = z
  .array(z.int().min(1).max(expiryDaysMax))
  .max(5)
  .refine((days) => new Set(days).size === days.length, 'a number of days is named twice')

const fields = {
  name: Line,
  enabled: z.boolean(),
  /** null selects all checks of the account, including future ones. */
  checkIds: z.array(Uuid).max(checksPerRuleMax).refine(distinct, 'a check is named twice').nullable(),
  statuses: z
    .array(AlertStatus)
    .min(1, 'name at least one status')
    .refine(distinct, 'a status is named twice'),
  /**
   * Whether to notify about unconfirmed failures: the check fails in every region that may vote, but is not
   * `down` because other regions are in quarantine.
   */
  unconfirmed: z.boolean(),
  /** Notifies this many days before a check's certificate expires, and when it is renewed. */
  certificateDays: expiryDays,
  /** The same for its domain registration. */
  domainDays: expiryDays,
  /** How long a check must have one of the statuses before the rule notifies. */
  afterSeconds: z.int().min(0).max(afterSecondsMax),
  /** null selects all channels of the account, including future ones. */
  channelIds: z.array(Uuid).max(channelsMax).refine(distinct, 'a channel is named twice').nullable(),
  /** Gets the rule's messages too while one of its channels fails; null: none. */
  fallbackChannelId: Uuid.nullable(),
  /** Mail to every member of the account. */
  emailUsers: z.boolean(),
  /** Mail to these members. */
  userIds: z.array(Uuid).max(usersMax).refine(distinct, 'a member is named twice'),
  /** Mail to these addresses of people who are no members, once each has confirmed. */
  addresses: RuleAddresses,
  /** The escalation policy that its alerts follow, besides the receivers above. */
  escalationId: Uuid.nullable(),
}

/** A stored rule may have lost all its checks, but a new rule needs at least one. */
const givenCheckIds = z
  .array(Uuid)
  .min(1, 'name at least one check, or use null for all')
  .max(checksPerRuleMax)
  .refine(distinct, 'a check is named twice')
  .nullable()

/** A rule that notifies channels and users about checks. */
export const AlertRule = z.object({ id: z.string(), ...fields, createdAt: Instant })
export type AlertRule = z.infer<typeof AlertRule>

export const CreateAlertRuleInput = z.strictObject({
  name: fields.name,
  enabled: fields.enabled.default(true),
  checkIds: givenCheckIds.default(null),
  statuses: fields.statuses.default(['down']),
  /** By default true when `statuses` contains `down`. */
  unconfirmed: fields.unconfirmed.optional(),
  certificateDays: fields.certificateDays.default([...expiryDaysDefault]),
  domainDays: fields.domainDays.default([...expiryDaysDefault]),
  afterSeconds: fields.afterSeconds.default(0),
  channelIds: fields.channelIds.default(null),
  fallbackChannelId: fields.fallbackChannelId.default(null),
  emailUsers: fields.emailUsers.default(false),
  userIds: fields.userIds.default([]),
  addresses: fields.addresses.default([]),
  escalationId: fields.escalationId.default(null),
})
export type CreateAlertRuleInput = z.infer<typeof CreateAlertRuleInput>

export const UpdateAlertRuleInput = z.strictObject({ ...fields, checkIds: givenCheckIds }).partial()
export type UpdateAlertRuleInput = z.infer<typeof UpdateAlertRuleInput>

export const AlertRuleParams = z.object({ id: Uuid })
