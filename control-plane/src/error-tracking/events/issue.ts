import type {
  ErrorIssue,
  ErrorOccurrence,
} from '@probe-mesh/contracts/error-tracking/error-tracking'

/** An error issue as it is stored, without its releases. Times are Unix milliseconds. */
export type ErrorIssueRecord = Pick<
  ErrorIssue,
  'id' | 'projectId' | 'title' | 'culprit' | 'status' | 'occurrences'
> & {
  firstSeenMs: number
  lastSeenMs: number
}

/** Occurrences of an issue that name one release. */
export type ErrorRelease = ErrorIssue['releases'][number]

/**
 * An error issue as every route returns it. Pure.
 * @param releases its own, most occurrences first
 * @param recent its own, newest first
 */
export const describeErrorIssue = (
  issue: ErrorIssueRecord,
  releases: readonly ErrorRelease[],
  recent: readonly ErrorOccurrence[],
): ErrorIssue => ({
  id: issue.id,
  projectId: issue.projectId,
  title: issue.title,
  culprit: issue.culprit,
  status: issue.status,
  occurrences: issue.occurrences,
  firstSeen: new Date(issue.firstSeenMs).toISOString(),
  lastSeen: new Date(issue.lastSeenMs).toISOString(),
  releases: [...releases],
  recent: [...recent],
})
