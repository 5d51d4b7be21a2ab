import { z } from 'zod'
import { ErrorIssues, ErrorIssuesQuery, ErrorIssueStatus, ErrorLevel } from './error-tracking.ts'
import { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { Instant } from '@probe-mesh/contracts/schema/text'

const statusFields = {
  status: ErrorIssueStatus,
  /** Occurrences in currently known releases do not reopen it. */
  inNextRelease: z.boolean().default(false),
}
const isPossible = ({
  status,
  inNextRelease,
}: {
  status: ErrorIssueStatus
  inNextRelease: boolean
}): boolean => status === 'resolved' || !inNextRelease
const impossible = { path: ['inNextRelease'], message: 'is for resolved issues only' }

/** Sets the status of an issue. */
export const SetErrorIssueStatusInput = z.strictObject(statusFields).refine(isPossible, impossible)
export type SetErrorIssueStatusInput = z.infer<typeof SetErrorIssueStatusInput>

/** Maximum number of issues in one change of the status. */
export const errorIssuesChangedMax = 500

/** Sets the status of several issues of a project. Ids of other issues are ignored. */
export const SetErrorIssueStatusesInput = z
  .strictObject({ ids: z.array(Uuid).min(1).max(errorIssuesChangedMax), ...statusFields })
  .refine(isPossible, impossible)
export type SetErrorIssueStatusesInput = z.infer<typeof SetErrorIssueStatusesInput>

/** The resolution of an issue; null when it is unresolved or the resolution was not recorded. */
const ErrorResolution = z.object({ at: Instant, inNextRelease: z.boolean() }).nullable()
type ErrorResolution = z.infer<typeof ErrorResolution>

/** The latest occurrence that reopened a resolved issue. */
export const ErrorRegression = z.object({
  at: Instant,
  /** The release of that occurrence; null without one. */
  release: z.string().nullable(),
})
export type ErrorRegression = z.infer<typeof ErrorRegression>

/** A search of the dashboard. */
export const OwnErrorIssuesQuery = ErrorIssuesQuery.extend({
  /** Has stored events of exactly this environment. */
  environment: z.string().max(limits.nameCharactersMax).optional(),
  /** Has stored events of this level. */
  level: ErrorLevel.optional(),
})
export type OwnErrorIssuesQuery = z.infer<typeof OwnErrorIssuesQuery>

/** A search result for the dashboard. */
export const OwnErrorIssues = ErrorIssues.extend({
  /** Regressions by issue id. */
  regressions: z.record(z.string(), ErrorRegression),
})
export type OwnErrorIssues = z.infer<typeof OwnErrorIssues>

/** The time before and after an occurrence that counts as its surroundings. */
export const surroundingMs = 5 * 60_000
/** Maximum number of listed checks, and of incidents, for one issue. */
export const surroundingMax = 50

/** A period in which a check was not operational. */
export const CheckFailure = z.object({
  checkId: z.string(),
  checkName: z.string(),
  status: z.enum(['down', 'degraded']),
  reason: z.string().nullable(),
  since: Instant,
  /** null while it lasts. */
  until: Instant.nullable(),
})
export type CheckFailure = z.infer<typeof CheckFailure>

/** Other failures around the first and latest occurrence of an issue. */
export const ErrorSurroundings = z.object({
  resolution: ErrorResolution,
  /** null without a regression. */
  regression: ErrorRegression.nullable(),
  /** One range when both occurrences are close together. */
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
  /** Whether both lists are complete. */
  complete: z.boolean(),
})
export type ErrorSurroundings = z.infer<typeof ErrorSurroundings>
