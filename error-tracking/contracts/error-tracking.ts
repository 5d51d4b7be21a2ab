import { z } from 'zod'
import { components, field } from '@probe-mesh/contracts/schema/field'
import { id, Uuid } from '@probe-mesh/contracts/schema/ids'
import { nextCursor, pageParameters } from '@probe-mesh/contracts/schema/list'
import { Instant } from '@probe-mesh/contracts/schema/text'
import { limits } from '@probe-mesh/contracts/schema/limits'

const count = z.int().min(0)

/** Received events that were not stored, by reason (S-3002). */
export const ErrorDrops = z.object({
  quota: field(count, 'Above the monthly quota.', 0),
  rate: field(count, 'Above the rate limit.', 0),
  size: field(count, 'Too large.', 0),
  invalid: field(count, 'Not readable.', 0),
  duplicate: field(count, 'Received before.', 2),
  filtered: field(count, 'Excluded by the settings of the project.', 14),
  scrub: field(count, 'Not scrubbed in time.', 0),
  store: field(count, 'The database was unavailable.', 0),
})
export type ErrorDrops = z.infer<typeof ErrorDrops>
components.add(ErrorDrops, { id: 'ErrorDrops' })

/** A project that Sentry SDKs report to. Counts are for the current UTC month. */
export const ErrorProject = z.object({
  id,
  name: field(z.string(), 'Name of the project.', 'Shop'),
  dsn: field(z.string(), 'DSN for the SDK, with the public key.', 'https://3f0c1a@status.example.com/1'),
  eventsThisMonth: field(count, 'Events stored in this month (UTC), which count against the quota.', 1204),
  quota: field(count, 'Events that the plan allows in a month, for all projects together.', 100_000),
  dropped: field(ErrorDrops, 'Received events that were not stored, by reason.'),
})
export type ErrorProject = z.infer<typeof ErrorProject>
components.add(ErrorProject, { id: 'ErrorProject' })

/** The levels of events, most severe first. */
export const ErrorLevel = z.enum(['fatal', 'error', 'warning', 'info', 'debug'])
export type ErrorLevel = z.infer<typeof ErrorLevel>

export const ErrorIssueStatus = z.enum(['unresolved', 'resolved', 'ignored'])
export type ErrorIssueStatus = z.infer<typeof ErrorIssueStatus>

/** A place in the code, as reported by the SDK. */
export const ErrorFrame = z.object({
  file: field(z.string().nullable(), 'File.', 'src/cart.ts'),
  function: field(z.string().nullable(), 'Function.', 'total'),
  line: field(z.int().nullable(), 'Line.', 41),
  column: field(z.int().nullable(), 'Column.', 18),
  inApp: field(z.boolean(), "Whether it is the application's code.", true),
})
export type ErrorFrame = z.infer<typeof ErrorFrame>
components.add(ErrorFrame, { id: 'ErrorFrame' })

/** One event of an issue, scrubbed before it was stored. */
export const ErrorOccurrence = z.object({
  id,
  at: field(Instant, 'Time of the event.'),
  release: field(z.string().nullable(), 'Release of the event.', 'shop@1.4.0'),
  message: field(z.string(), 'Message of the error.', 'cart.items is undefined'),
  frames: field(z.array(ErrorFrame), 'Stack, innermost frame first.'),
  context: field(z.record(z.string(), z.unknown()), 'Further data, scrubbed.', {}),
})
export type ErrorOccurrence = z.infer<typeof ErrorOccurrence>
components.add(ErrorOccurrence, { id: 'ErrorOccurrence' })

/** A group of occurrences with the same cause (S-3010). */
export const ErrorIssue = z.object({
  id,
  projectId: field(id, 'Id of the project.'),
  title: field(z.string(), 'Type and message.', 'TypeError: cart.items is undefined'),
  culprit: field(z.string().nullable(), 'Place in the code. null: unknown.', 'checkout'),
  status: field(ErrorIssueStatus, 'Status.'),
  occurrences: field(count, 'Events.', 42),
  firstSeen: field(Instant, 'First event.'),
  lastSeen: field(Instant, 'Newest event.'),
  releases: field(
    z.array(
      z.object({
        release: field(z.string(), 'Release of the event.', 'shop@1.4.0'),
        occurrences: field(count, 'Events.', 42),
      }),
    ),
    'Releases, most events first, at most 100.',
  ),
  recent: field(z.array(ErrorOccurrence), 'Newest events first.'),
})
export type ErrorIssue = z.infer<typeof ErrorIssue>
components.add(ErrorIssue, { id: 'ErrorIssue' })

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
  q: field(
    z.string().max(limits.nameCharactersMax).optional(),
    'Literal text in the title, culprit or a message. Case-insensitive.',
    'cart',
  ),
  release: field(
    z.string().max(limits.nameCharactersMax).optional(),
    'Seen in exactly this release.',
    'shop@1.4.0',
  ),
  status: field(ErrorIssueStatus.optional(), 'Only issues with this status.'),
  window: field(ErrorWindow.optional(), 'Maximum time since the last event.', '24h'),
  ...pageParameters,
})
export type ErrorIssuesQuery = z.infer<typeof ErrorIssuesQuery>
export const errorIssuesPageDefault = 50

/** A page of issues, their exact number, and whether the list is complete (S-3014). */
export const ErrorIssues = z.object({
  issues: field(z.array(ErrorIssue), 'Issues, most recently seen first.'),
  total: field(count, 'Number of all matching issues.', 1),
  complete: field(z.boolean(), 'Whether the list contains all of them.', true),
  nextCursor,
})
export type ErrorIssues = z.infer<typeof ErrorIssues>

export const ErrorProjectParams = z.object({ id: field(Uuid, 'Id of the project.') })
export const ErrorIssueParams = z.object({ id: field(Uuid, 'Id of the issue.') })
