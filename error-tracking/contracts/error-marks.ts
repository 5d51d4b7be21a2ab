import { z } from 'zod'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { Instant } from '@probe-mesh/contracts/schema/text'

const count = z.int().min(0)
const dayMs = 86_400_000

/** Maximum number of releases, and of issues, in one time range. The newest are listed. */
export const errorMarksMax = 20
const spanMsMax = 92 * dayMs

export const ErrorMarksQuery = z
  .strictObject({
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    /** Limits issues to the times in which this check was down or degraded. */
    checkId: Uuid.optional(),
  })
  .refine(({ since, until }) => Date.parse(since) < Date.parse(until), {
    path: ['until'],
    message: 'must be after since',
  })
  .refine(({ since, until }) => Date.parse(until) - Date.parse(since) <= spanMsMax, {
    path: ['since'],
    message: 'must be at most 92 days before until',
  })
export type ErrorMarksQuery = z.infer<typeof ErrorMarksQuery>

/** A release of an error project, with its first event. */
export const ReleaseMark = z.object({
  projectId: z.string(),
  projectName: z.string(),
  release: z.string(),
  firstSeen: Instant,
})
export type ReleaseMark = z.infer<typeof ReleaseMark>

/** A new issue, a regression, or a spike of events. */
export const IssueMark = z.object({
  kind: z.enum(['new_issue', 'regression', 'spike']),
  projectId: z.string(),
  projectName: z.string(),
  /** null for a spike of the whole project. */
  issueId: z.string().nullable(),
  title: z.string().nullable(),
  at: Instant,
})
export type IssueMark = z.infer<typeof IssueMark>

/** Error marks of a time range. Spikes are detected only with an alert rule for spikes. */
export const ErrorMarks = z.object({
  /** Newest first. */
  releases: z.array(ReleaseMark),
  allReleases: z.boolean(),
  /** The time ranges of `issues`; empty when the check was never down or degraded. */
  spans: z.array(z.object({ since: Instant, until: Instant })),
  /** Newest first. */
  issues: z.array(IssueMark),
  allIssues: z.boolean(),
  asOf: Instant,
})
export type ErrorMarks = z.infer<typeof ErrorMarks>

/** Issues in one request. */
const errorIssueHoursMax = 500

export const ErrorIssueHoursQuery = z.strictObject({
  /** Ids of issues, separated by commas. */
  ids: z
    .string()
    .max(errorIssueHoursMax * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(errorIssueHoursMax)),
})

/** Stored events of issues by hour. The last hour is incomplete. */
export const ErrorIssueHours = z.object({
  from: Instant,
  to: Instant,
  asOf: Instant,
  /** Issues and hours without events have no entry. */
  issues: z.array(
    z.object({ issueId: z.string(), hours: z.array(z.object({ at: Instant, events: count })) }),
  ),
})
export type ErrorIssueHours = z.infer<typeof ErrorIssueHours>

export const errorIssueDays = 30

/** Stored events of one issue by UTC day, oldest first. The last day is incomplete. */
export const ErrorIssueDays = z.object({
  days: z.array(z.object({ at: Instant, events: count })),
  asOf: Instant,
})
export type ErrorIssueDays = z.infer<typeof ErrorIssueDays>
