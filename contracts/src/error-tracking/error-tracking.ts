import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'

const count = z.int().min(0)

/** Events that arrived and were not stored, by reason (S-3002). */
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

/** What a Sentry SDK reports to. Events are those of the current month, UTC. */
export const ErrorProject = z.object({
  id: z.string(),
  name: z.string(),
  /** What an SDK is given: where to report, and the project's public key. */
  dsn: z.string(),
  /** Stored ones: they spend the quota. */
  eventsThisMonth: count,
  /** Events a month that the account's tier allows to all its projects together. */
  quota: count,
  dropped: ErrorDrops,
})
export type ErrorProject = z.infer<typeof ErrorProject>

export const ErrorIssueStatus = z.enum(['unresolved', 'resolved', 'ignored'])
export type ErrorIssueStatus = z.infer<typeof ErrorIssueStatus>

/** A place in the code, as far as the SDK knew it. */
export const ErrorFrame = z.object({
  file: z.string().nullable(),
  function: z.string().nullable(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  /** Of the application itself, not of what it uses. */
  inApp: z.boolean(),
})
export type ErrorFrame = z.infer<typeof ErrorFrame>

/** One event of an issue, scrubbed before it was stored. */
export const ErrorOccurrence = z.object({
  id: z.string(),
  at: Instant,
  release: z.string().nullable(),
  message: z.string(),
  /** Where it was thrown comes first. */
  frames: z.array(ErrorFrame),
  context: z.record(z.string(), z.unknown()),
})
export type ErrorOccurrence = z.infer<typeof ErrorOccurrence>

/** Occurrences that are one problem (S-3010). */
export const ErrorIssue = z.object({
  id: z.string(),
  projectId: z.string(),
  title: z.string(),
  /** The function or the place that is blamed; null where none is known. */
  culprit: z.string().nullable(),
  status: ErrorIssueStatus,
  occurrences: count,
  firstSeen: Instant,
  lastSeen: Instant,
  /**
   * Those with most occurrences first, `errorReleasesMax` of them at most. An occurrence that names
   * no release counts in none.
   */
  releases: z.array(z.object({ release: z.string(), occurrences: count })),
  /** Newest first, so many as are kept at hand; in a search maybe fewer. */
  recent: z.array(ErrorOccurrence),
})
export type ErrorIssue = z.infer<typeof ErrorIssue>

export const errorReleasesMax = 100

/** How long ago an issue was seen last, at most. */
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
  /** Part of the title, the culprit or a message of it, in any case; every character stands for itself. */
  q: z.string().max(limits.nameCharactersMax).optional(),
  /** Seen in exactly this release. */
  release: z.string().max(limits.nameCharactersMax).optional(),
  status: ErrorIssueStatus.optional(),
  window: ErrorWindow.optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
})
export type ErrorIssuesQuery = z.infer<typeof ErrorIssuesQuery>
export const errorIssuesPageDefault = 50

/** A page of issues, their exact number, and whether everything could be searched (S-3014). */
export const ErrorIssues = z.object({
  /** Seen last comes first. */
  issues: z.array(ErrorIssue),
  total: count,
  /** Whether these are all of them. */
  complete: z.boolean(),
})
export type ErrorIssues = z.infer<typeof ErrorIssues>

export const ErrorProjectParams = z.object({ id: Uuid })
export const ErrorIssueParams = z.object({ id: Uuid })
