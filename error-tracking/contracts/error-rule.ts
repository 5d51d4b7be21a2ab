import { z } from 'zod'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { Instant, Line } from '@probe-mesh/contracts/schema/text'

/**
 * The events of an error rule: a new issue, a regression (an occurrence of a resolved issue), and a spike (more
 * events than usual).
 */
export const ErrorRuleEvent = z.enum(['new_issue', 'regression', 'spike'])
export type ErrorRuleEvent = z.infer<typeof ErrorRuleEvent>

/** The length of the counted time span, minutes. */
export const spikeSpansMinutes = [5, 60] as const
const spikeEventsMax = 1_000_000
const spikeFactorMax = 1_000
export const errorRulesMax = 50
const projectsMax = 50
const channelsMax = 100

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length

/**
 * The condition of a spike: at least `eventsMin` events in a span, and at least `factor` times the average span
 * of the day before.
 */
export const SpikeTerms = z.strictObject({
  /** Counts the events of a whole project, or of each issue separately. */
  of: z.enum(['project', 'issue']),
  spanMinutes: z.literal(spikeSpansMinutes),
  eventsMin: z.int().min(1).max(spikeEventsMax),
  factor: z.number().min(1).max(spikeFactorMax),
})
export type SpikeTerms = z.infer<typeof SpikeTerms>

export const spikeDefault: SpikeTerms = {
  of: 'project',
  spanMinutes: 60,
  eventsMin: 100,
  factor: 5,
}

const fields = {
  name: Line,
  enabled: z.boolean(),
  /** null selects all projects of the account, including future ones. */
  projectIds: z.array(Uuid).max(projectsMax).refine(distinct, 'a project is named twice').nullable(),
  events: z
    .array(ErrorRuleEvent)
    .min(1, 'name at least one event')
    .refine(distinct, 'an event is named twice'),
  /** Only for `spike`. */
  spike: SpikeTerms,
  /** null selects all channels of the account, including future ones. */
  channelIds: z.array(Uuid).max(channelsMax).refine(distinct, 'a channel is named twice').nullable(),
  /** Mail to every user of the account. */
  emailUsers: z.boolean(),
}

/** A stored rule may have lost all its projects, but a new rule needs at least one. */
const givenProjectIds = z
  .array(Uuid)
  .min(1, 'name at least one project, or use null for all')
  .max(projectsMax)
  .refine(distinct, 'a project is named twice')
  .nullable()

/** A rule that notifies channels and users about error issues. */
export const ErrorRule = z.object({
  id: z.string(),
  ...fields,
  createdAt: Instant,
  /** Notifications above the hourly limit. They are sent together in one message at that time. */
  waiting: z.object({ count: z.int().min(1), tellAt: Instant }).nullable(),
})
export type ErrorRule = z.infer<typeof ErrorRule>

export const CreateErrorRuleInput = z.strictObject({
  name: fields.name,
  enabled: fields.enabled.default(true),
  projectIds: givenProjectIds.default(null),
  events: fields.events.default(['new_issue', 'regression']),
  spike: fields.spike.default(spikeDefault),
  channelIds: fields.channelIds.default(null),
  emailUsers: fields.emailUsers.default(false),
})
export type CreateErrorRuleInput = z.infer<typeof CreateErrorRuleInput>

export const UpdateErrorRuleInput = z.strictObject({ ...fields, projectIds: givenProjectIds }).partial()
export type UpdateErrorRuleInput = z.infer<typeof UpdateErrorRuleInput>

export const ErrorRuleParams = z.object({ id: Uuid })
