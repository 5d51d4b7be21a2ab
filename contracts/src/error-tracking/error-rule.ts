import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant, Line } from '../schema/text.ts'

/**
 * What a rule of error tracking may tell of: an issue that was never seen before, one that came back
 * after it was resolved, and more events than usual.
 */
export const ErrorRuleEvent = z.enum(['new_issue', 'regression', 'spike'])
export type ErrorRuleEvent = z.infer<typeof ErrorRuleEvent>

/** How long the span is whose events are counted. */
export const spikeSpansMinutes = [5, 60] as const
export const spikeEventsMax = 1_000_000
export const spikeFactorMax = 1_000
export const errorRulesMax = 50
const projectsMax = 50
const channelsMax = 100

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length

/**
 * More events than usual: in a span there were at least `eventsMin`, and at least `factor` times as many
 * as in a span of the day before it on the average.
 */
export const SpikeTerms = z.strictObject({
  /** Whose events are counted: all of a project, or each issue's by themselves. */
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
  /** Null: every project of the account, also those that are made later. */
  projectIds: z
    .array(Uuid)
    .max(projectsMax)
    .refine(distinct, 'a project is named twice')
    .nullable(),
  events: z
    .array(ErrorRuleEvent)
    .min(1, 'name at least one thing to tell of')
    .refine(distinct, 'one is named twice'),
  /** Counts for `spike` only. */
  spike: SpikeTerms,
  /** Null: every channel of the account, also those that are made later. */
  channelIds: z
    .array(Uuid)
    .max(channelsMax)
    .refine(distinct, 'a channel is named twice')
    .nullable(),
  /** Mail to every user of the account. */
  emailUsers: z.boolean(),
}

/** A rule of no project tells nobody of anything: a stored one may have lost its projects, none is made so. */
const givenProjectIds = z
  .array(Uuid)
  .min(1, 'name at least one project, or take all')
  .max(projectsMax)
  .refine(distinct, 'a project is named twice')
  .nullable()

/** Who is told of what becomes of an account's error issues. */
export const ErrorRule = z.object({
  id: z.string(),
  ...fields,
  createdAt: Instant,
  /** Beyond the bound of an hour: told together, in one message, at that time. */
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

export const UpdateErrorRuleInput = z
  .strictObject({ ...fields, projectIds: givenProjectIds })
  .partial()
export type UpdateErrorRuleInput = z.infer<typeof UpdateErrorRuleInput>

export const ErrorRuleParams = z.object({ id: Uuid })
