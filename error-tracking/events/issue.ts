import type { ErrorIssue, ErrorOccurrence } from '../contracts/error-tracking.ts'
import { createHash } from 'node:crypto'
import type { ErrorGrouping } from './group/group-event.ts'

/** A stored error issue without its releases. Times are Unix milliseconds. */
export type ErrorIssueRecord = Pick<
  ErrorIssue,
  'id' | 'projectId' | 'title' | 'culprit' | 'status' | 'occurrences'
> & {
  firstSeenMs: number
  lastSeenMs: number
}

/** A release of an issue with its occurrences. */
export type ErrorRelease = ErrorIssue['releases'][number]

/**
 * An error issue as the routes return it.
 * @param releases most occurrences first
 * @param recent newest first
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

/**
 * The id of an issue, computed from its grouping, so that storing an occurrence needs no lookup. A UUID of
 * version 8 (RFC 9562 5.8).
 */
export const errorIssueIdOf = (
  projectId: string,
  { version, hash }: Pick<ErrorGrouping, 'version' | 'hash'>,
): string => {
  const digest = createHash('sha256').update(`${projectId}:${version}:${hash}`).digest()
  const bytes = digest.subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
