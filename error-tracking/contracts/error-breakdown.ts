import { z } from 'zod'
import { Instant } from '@probe-mesh/contracts/schema/text'

const count = z.int().min(0)

/** Examined events of an issue, the newest. */
export const breakdownEventsMax = 1_000
/** Listed tags, most frequent first, and listed values of each. */
export const breakdownTagsMax = 30
export const breakdownValuesMax = 5

/** Which users and tags the newest events of an issue have. */
export const ErrorIssueBreakdown = z.object({
  /** Examined events. */
  events: count,
  /** Different users. Events without a user, and with a removed one, are not counted. */
  users: count,
  /** Largest number of events first. Level and environment are listed as tags. */
  tags: z.array(
    z.object({
      key: z.string(),
      /** Events with this tag. */
      events: count,
      /** Largest number of events first. */
      values: z.array(z.object({ value: z.string(), events: count })),
    }),
  ),
  asOf: Instant,
})
export type ErrorIssueBreakdown = z.infer<typeof ErrorIssueBreakdown>

export const facetsMax = 50

/** Values that the issues of a project can be filtered by. */
export const ErrorFacets = z.object({
  /** First seen last first. */
  releases: z.array(z.string()),
  /** Largest number of events first; null while ClickHouse is unavailable. */
  environments: z.array(z.string()).nullable(),
})
export type ErrorFacets = z.infer<typeof ErrorFacets>
