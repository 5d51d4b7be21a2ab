import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'

const count = z.int().min(0)
const dayMs = 86_400_000

/** Releases, and issues, that are named of one span at most: the newest. */
export const errorMarksMax = 20
const spanMsMax = 92 * dayMs

export const ErrorMarksQuery = z
  .strictObject({
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    /** Issues of the minutes only in which this check was down or degraded. */
    checkId: Uuid.optional(),
  })
  .refine(({ since, until }) => Date.parse(since) < Date.parse(until), {
    path: ['until'],
    message: 'must be after since',
  })
  .refine(({ since, until }) => Date.parse(until) - Date.parse(since) <= spanMsMax, {
    path: ['since'],
    message: 'must be 92 days before until, at the most',
  })
export type ErrorMarksQuery = z.infer<typeof ErrorMarksQuery>

/** A release of an error project, when an event first named it. */
export const ReleaseMark = z.object({
  projectId: z.string(),
  projectName: z.string(),
  release: z.string(),
  firstSeen: Instant,
})
export type ReleaseMark = z.infer<typeof ReleaseMark>

/** What began of errors: an issue was seen first, came back, or there were more events than usual. */
export const IssueMark = z.object({
  kind: z.enum(['new_issue', 'regression', 'spike']),
  projectId: z.string(),
  projectName: z.string(),
  /** null: a spike of the whole project. */
  issueId: z.string().nullable(),
  title: z.string().nullable(),
  at: Instant,
})
export type IssueMark = z.infer<typeof IssueMark>

/** What is known of errors in a span. Spikes are looked for only where an alert rule asks for them. */
export const ErrorMarks = z.object({
  /** Newest first. */
  releases: z.array(ReleaseMark),
  allReleases: z.boolean(),
  /** The times whose issues are named; none where a check was never down or degraded. */
  spans: z.array(z.object({ since: Instant, until: Instant })),
  /** Newest first. */
  issues: z.array(IssueMark),
  allIssues: z.boolean(),
  asOf: Instant,
})
export type ErrorMarks = z.infer<typeof ErrorMarks>

/** Of one list of issues. */
export const errorIssueHoursMax = 500

export const ErrorIssueHoursQuery = z.strictObject({
  /** Ids of issues, with commas between them. */
  ids: z
    .string()
    .max(errorIssueHoursMax * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(errorIssueHoursMax)),
})

/** Stored events of issues by the hour in which they happened; the last hour is under way. */
export const ErrorIssueHours = z.object({
  from: Instant,
  to: Instant,
  asOf: Instant,
  /** An issue without events in this time has no entry; an hour without events has none in it. */
  issues: z.array(
    z.object({ issueId: z.string(), hours: z.array(z.object({ at: Instant, events: count })) }),
  ),
})
export type ErrorIssueHours = z.infer<typeof ErrorIssueHours>

export const errorIssueDays = 30

/** Stored events of one issue by the day, UTC, oldest first; the last day is under way. */
export const ErrorIssueDays = z.object({
  days: z.array(z.object({ at: Instant, events: count })),
  asOf: Instant,
})
export type ErrorIssueDays = z.infer<typeof ErrorIssueDays>
