import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'

/** What a rule may name. A blocked check of an account's own is `degraded`, with the evidence. */
export const AlertStatus = z.enum(['down', 'degraded', 'stale'])
export type AlertStatus = z.infer<typeof AlertStatus>

export const afterSecondsMax = 86_400
export const checksPerRuleMax = 1_000
const channelsMax = 100

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length

/** How many days before something expires a rule notifies, where nobody says otherwise. */
export const expiryDaysDefault: readonly number[] = [14, 7, 1]
const expiryDaysMax = 90

const expiryDays = z
  .array(z.int().min(1).max(expiryDaysMax))
  .max(5)
  .refine((days) => new Set(days).size === days.length, 'a number of days is named twice')

const fields = {
  name: Line,
  enabled: z.boolean(),
  /** Null: every check of the account, also those that are made later. */
  checkIds: z
    .array(Uuid)
    .max(checksPerRuleMax)
    .refine(distinct, 'a check is named twice')
    .nullable(),
  statuses: z
    .array(AlertStatus)
    .min(1, 'name at least one status')
    .refine(distinct, 'a status is named twice'),
  /**
   * Whether a check is told of that fails wherever a region may vote, and is not `down` because a
   * quarantine keeps the votes of others.
   */
  unconfirmed: z.boolean(),
  /** One message when a check's certificate expires within each of these days, one when it is renewed. */
  certificateDays: expiryDays,
  /** The same for the registration of its domain. */
  domainDays: expiryDays,
  /** For how long a check must have one of the statuses before anybody is told. */
  afterSeconds: z.int().min(0).max(afterSecondsMax),
  /** Null: every channel of the account, also those that are made later. */
  channelIds: z
    .array(Uuid)
    .max(channelsMax)
    .refine(distinct, 'a channel is named twice')
    .nullable(),
  /** Mail to every user of the account. */
  emailUsers: z.boolean(),
}

/** A rule of no check tells nobody of anything: a stored one may have lost its checks, none is made so. */
const givenCheckIds = z
  .array(Uuid)
  .min(1, 'name at least one check, or take all')
  .max(checksPerRuleMax)
  .refine(distinct, 'a check is named twice')
  .nullable()

/** Who is told, and when, of what becomes of an account's checks. */
export const AlertRule = z.object({ id: z.string(), ...fields, createdAt: Instant })
export type AlertRule = z.infer<typeof AlertRule>

export const CreateAlertRuleInput = z.strictObject({
  name: fields.name,
  enabled: fields.enabled.default(true),
  checkIds: givenCheckIds.default(null),
  statuses: fields.statuses.default(['down']),
  /** Absent: as `down` is named. */
  unconfirmed: fields.unconfirmed.optional(),
  certificateDays: fields.certificateDays.default([...expiryDaysDefault]),
  domainDays: fields.domainDays.default([...expiryDaysDefault]),
  afterSeconds: fields.afterSeconds.default(0),
  channelIds: fields.channelIds.default(null),
  emailUsers: fields.emailUsers.default(false),
})
export type CreateAlertRuleInput = z.infer<typeof CreateAlertRuleInput>

export const UpdateAlertRuleInput = z.strictObject({ ...fields, checkIds: givenCheckIds }).partial()
export type UpdateAlertRuleInput = z.infer<typeof UpdateAlertRuleInput>

export const AlertRuleParams = z.object({ id: Uuid })
