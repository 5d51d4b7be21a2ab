import { z } from 'zod'
import { ErrorIssues, ErrorIssueStatus } from './error-tracking.ts'
import { IncidentStatus } from '../incident/incident.ts'
import { Instant } from '../schema/text.ts'

/** An issue's status as a person sets it. */
export const SetErrorIssueStatusInput = z
  .strictObject({
    status: ErrorIssueStatus,
    /** Occurrences of releases that are known by now do not open it again. */
    inNextRelease: z.boolean().default(false),
  })
  .refine(({ status, inNextRelease }) => status === 'resolved' || !inNextRelease, {
    path: ['inNextRelease'],
    message: 'is for resolved issues only',
  })
export type SetErrorIssueStatusInput = z.infer<typeof SetErrorIssueStatusInput>

/** How an issue was resolved; null where it is not, or was before that was noted. */
export const ErrorResolution = z.object({ at: Instant, inNextRelease: z.boolean() }).nullable()
export type ErrorResolution = z.infer<typeof ErrorResolution>

/** The last time that an occurrence opened an issue again after it was resolved. */
export const ErrorRegression = z.object({
  at: Instant,
  /** Of that occurrence; null where it named none. */
  release: z.string().nullable(),
})
export type ErrorRegression = z.infer<typeof ErrorRegression>

/** A search as the dashboard shows it. */
export const OwnErrorIssues = ErrorIssues.extend({
  /** Of those issues that ever came back, by issue id. */
  regressions: z.record(z.string(), ErrorRegression),
})
export type OwnErrorIssues = z.infer<typeof OwnErrorIssues>

/** This long before and after an occurrence is "the same minutes". */
export const surroundingMs = 5 * 60_000
/** Checks, and incidents, that are listed of one issue at most. */
export const surroundingMax = 50

/** A time that a check was not operational. */
export const CheckFailure = z.object({
  checkId: z.string(),
  checkName: z.string(),
  status: z.enum(['down', 'degraded']),
  reason: z.string().nullable(),
  since: Instant,
  /** null: it still is. */
  until: Instant.nullable(),
})
export type CheckFailure = z.infer<typeof CheckFailure>

/** What else went wrong around the first and the newest occurrence of an issue. */
export const ErrorSurroundings = z.object({
  resolution: ErrorResolution,
  /** null: it never came back. */
  regression: ErrorRegression.nullable(),
  /** One where both are close together. */
  spans: z.array(z.object({ since: Instant, until: Instant })),
  /** Newest first. */
  failures: z.array(CheckFailure),
  /** Newest first. */
  incidents: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      status: IncidentStatus,
      startedAt: Instant,
      resolvedAt: Instant.nullable(),
    }),
  ),
  /** Whether these are all of both. */
  complete: z.boolean(),
})
export type ErrorSurroundings = z.infer<typeof ErrorSurroundings>
