import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { nextCursor, pageParameters } from '../schema/list.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'

const count = z.int().min(0)

/** Received events that were not stored, by reason (S-3002). */
export const ErrorDrops = z.object({
  quota: count,
  rate: count,
  size: count,
  invalid: count,
  duplicate: count,
  filtered: count,
  scrub: count,
  store: count,
})
export type ErrorDrops = z.infer<typeof ErrorDrops>

/** A project that Sentry SDKs report to. Counts are for the current UTC month. */
export const ErrorProject = z.object({
  id: z.string(),
  name: z.string(),
  /** The DSN of an SDK: the URL with the project's public key. */
  dsn: z.string(),
  /** Stored events, which count against the quota. */
  eventsThisMonth: count,
  /** The monthly events that the plan allows for all projects of the account. */
  quota: count,
  dropped: ErrorDrops,
})
export type ErrorProject = z.infer<typeof ErrorProject>

/** The levels of events, most severe first. */
export const ErrorLevel = z.enum(['fatal', 'error', 'warning', 'info', 'debug'])
export type ErrorLevel = z.infer<typeof ErrorLevel>

export const ErrorIssueStatus = z.enum(['unresolved', 'resolved', 'ignored'])
export type ErrorIssueStatus = z.infer<typeof ErrorIssueStatus>

/** A place in the code, as reported by the SDK. */
export const ErrorFrame = z.object({
  file: z.string().nullable(),
  function: z.string().nullable(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  /** Whether it is code of the application, not of a library. */
  inApp: z.boolean(),
})
export type ErrorFrame = z.infer<typeof ErrorFrame>

/** One event of an issue, scrubbed before it was stored. */
export const ErrorOccurrence = z.object({
  id: z.string(),
  at: Instant,
  release: z.string().nullable(),
  message: z.string(),
  /** Innermost frame first. */
  frames: z.array(ErrorFrame),
  context: z.record(z.string(), z.unknown()),
})
export type ErrorOccurrence = z.infer<typeof ErrorOccurrence>

/** A group of occurrences with the same cause (S-3010). */
export const ErrorIssue = z.object({
  id: z.string(),
  projectId: z.string(),
  title: z.string(),
  /** The responsible function or place; null when unknown. */
  culprit: z.string().nullable(),
  status: ErrorIssueStatus,
  occurrences: count,
  firstSeen: Instant,
  lastSeen: Instant,
  /**
   * Largest number of occurrences first, at most `errorReleasesMax`. Occurrences without a release are not
   * included.
   */
  releases: z.array(z.object({ release: z.string(), occurrences: count })),
  /** The newest occurrences, newest first. A search may return fewer. */
  recent: z.array(ErrorOccurrence),
})
export type ErrorIssue = z.infer<typeof ErrorIssue>

export const errorReleasesMax = 100

/** The maximum time since the last occurrence of an issue. */
export const ErrorWindow = z.enum(['1h', '24h', '7d', '30d'])
export type ErrorWindow = z.infer<typeof ErrorWindow>

export const errorWindowMs: Readonly<Record<ErrorWindow, number>> = {
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
}

/** All given filters apply together (S-3013). */
export const ErrorIssuesQuery = z.strictObject({
  /** Literal text in the title, culprit or a message. Case-insensitive. */
  q: z.string().max(limits.nameCharactersMax).optional(),
  /** Seen in exactly this release. */
  release: z.string().max(limits.nameCharactersMax).optional(),
  status: ErrorIssueStatus.optional(),
  window: ErrorWindow.optional(),
  ...pageParameters,
})
export type ErrorIssuesQuery = z.infer<typeof ErrorIssuesQuery>
export const errorIssuesPageDefault = 50

/** A page of issues, their exact number, and whether the list is complete (S-3014). */
export const ErrorIssues = z.object({
  /** Most recently seen first. */
  issues: z.array(ErrorIssue),
  total: count,
  /** Whether `issues` contains all of them. */
  complete: z.boolean(),
  nextCursor,
})
export type ErrorIssues = z.infer<typeof ErrorIssues>

export const ErrorProjectParams = z.object({ id: Uuid })
export const ErrorIssueParams = z.object({ id: Uuid })
