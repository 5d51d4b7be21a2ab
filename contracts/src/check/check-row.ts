import { z } from 'zod'
import { Check, CheckDetail, CheckStatus, CheckType, RegionStatus } from './check.ts'
import { Tag } from './tags.ts'
import { limits } from '../schema/limits.ts'
import { NameFilter } from '../schema/list.ts'
import { Instant } from '../schema/text.ts'

/** The status of a check in the list. A paused check is not measured, so it has no other status. */
export const ListedStatus = z.enum([...CheckStatus.options, 'paused'])
export type ListedStatus = z.infer<typeof ListedStatus>

/** The statuses of a list, worst first, paused last. */
export const listedStatusOrder: readonly ListedStatus[] = [
  'down',
  'degraded',
  'stale',
  'unknown',
  'operational',
  'paused',
]

/**
 * The order of a list. `status` is worst first, `changed` the latest status change first. A leading `-` reverses.
 * Equal checks are ordered by name or id.
 */
export const CheckSort = z.enum(['status', 'name', '-name', 'created', '-created', 'changed'])
export type CheckSort = z.infer<typeof CheckSort>

/** Slots of a trend: the last 24 hours. */
export const trendSlots = 48
export const trendStepSeconds = 1_800

/**
 * The worst state of a check in one slot. `stale`: only a part of the slot was measured, and nothing failed.
 * `no_data`: nothing was measured in it, because the check did not exist yet, was paused, or no reading arrived.
 */
export const TrendState = z.enum(['operational', 'degraded', 'down', 'stale', 'no_data'])
export type TrendState = z.infer<typeof TrendState>

const share = z.number().min(0).max(1).nullable()

/** A check with what is known of its state, for lists. */
export const CheckRow = Check.extend({
  statusSince: CheckDetail.shape.statusSince,
  statusReason: CheckDetail.shape.statusReason,
  /** The time of the newest counted reading; of a heartbeat, its last ping. */
  measuredAt: CheckDetail.shape.measuredAt,
  staleAfterSeconds: CheckDetail.shape.staleAfterSeconds,
  regionStatuses: z.array(
    RegionStatus.pick({
      region: true,
      status: true,
      reason: true,
      latencyMs: true,
      measuredAt: true,
      fresh: true,
      verdict: true,
    }),
  ),
  /** Latency of up readings in the last 24 hours over all regions; null without any, and when it was not read. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  /** By the rule of `GET /checks/:id`. */
  uptime: z.object({ day: share, month: share }),
  measuredShare: z.object({ day: share, month: share }),
  /** Whether an active maintenance window covers it. */
  maintenance: z.boolean(),
  /** `trendSlots` states, oldest first. The last slot is the current one. */
  trend: z.array(TrendState),
})
export type CheckRow = z.infer<typeof CheckRow>

/** What all rows of a list share. */
export const rowsHead = {
  /** The time of the data. */
  at: Instant,
  /** The start of the first slot of every trend. */
  trendFrom: Instant,
  trendStepSeconds: z.int(),
  /** False when ClickHouse did not answer in time: `p50Ms` and `p95Ms` of every check are null then. */
  latencyRead: z.boolean(),
}

export const CheckRows = z.object({
  checks: z.array(CheckRow),
  /** For the next page; null on the last one. */
  nextCursor: z.string().nullable(),
  ...rowsHead,
  vantage: CheckDetail.shape.vantage,
  nothingMeasured: z.boolean().optional(),
})
export type CheckRows = z.infer<typeof CheckRows>

/** Without any of them the list has every check of the account. */
export const ChecksQuery = z.strictObject({
  /** `state` adds the state of each check, and pages the list also without `limit`. */
  include: z.literal('state').optional(),
  status: ListedStatus.optional(),
  type: CheckType.optional(),
  name: NameFilter.optional(),
  /** One of its tags, in any case. */
  tag: Tag.optional(),
  limit: z.coerce.number().int().min(1).max(limits.checkRowsPageMax).optional(),
  /** `nextCursor` of the previous page, with the same sort and filters. */
  cursor: z.string().max(1_000).optional(),
  /** Default: `status` with `include=state`, else `created`. */
  sort: CheckSort.optional(),
})
export type ChecksQuery = z.infer<typeof ChecksQuery>
