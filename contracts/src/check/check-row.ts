import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { Check, CheckDetail, CheckStatus, CheckType, RegionStatus } from './check.ts'
import { Tag } from './tags.ts'
import { limits } from '../schema/limits.ts'
import { limitUpTo, NameFilter } from '../schema/list.ts'
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
  measuredAt: field(CheckDetail.shape.measuredAt, 'Newest counted reading. Of a heartbeat: its last ping.'),
  staleAfterSeconds: CheckDetail.shape.staleAfterSeconds,
  regionStatuses: field(
    z.array(
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
    'Newest evidence of each region.',
  ),
  p50Ms: field(
    z.number().nullable(),
    'Median latency of up readings in the last 24 hours. null without any, and when it was not read.',
    84.2,
  ),
  p95Ms: field(z.number().nullable(), '95 % of readings are at most this.', 142.8),
  uptime: field(
    z.object({
      day: field(share, '24 hours, 0 to 1. null: not read.', 1),
      month: field(share, '30 days.', 0.998),
    }),
    'Share of the measured time that was up.',
  ),
  measuredShare: field(
    z.object({
      day: field(share, '24 hours, 0 to 1. null: not read.', 1),
      month: field(share, '30 days.', 0.998),
    }),
    'Share of each window that was measured.',
  ),
  maintenance: field(z.boolean(), 'Whether an active maintenance window covers the check.', false),
  trend: field(
    z.array(TrendState),
    'Worst state of each half hour of the last 24 hours, oldest first. The last slot is the current one.',
    ['operational'],
  ),
})
export type CheckRow = z.infer<typeof CheckRow>
components.add(CheckRow, { id: 'ListedCheck' })

/** What all rows of a list share. */
export const rowsHead = {
  at: field(Instant, 'Time of the data.'),
  trendFrom: field(Instant, 'Start of the first slot of every trend.'),
  trendStepSeconds: field(z.int(), 'Length of a slot.', 1800),
  latencyRead: field(z.boolean(), 'false: ClickHouse did not answer; `p50Ms` and `p95Ms` are null.', true),
}

export const CheckRows = z.object({
  checks: field(z.array(CheckRow), 'Checks of the account.'),
  nextCursor: field(z.string().nullable(), 'Next page. null on the last.', null),
  ...rowsHead,
  vantage: CheckDetail.shape.vantage,
  nothingMeasured: field(z.boolean().optional(), 'true: agents run, none can measure. Else absent.', true),
})
export type CheckRows = z.infer<typeof CheckRows>

/** Without any of them the list has every check of the account. */
export const ChecksQuery = z.strictObject({
  include: field(
    z.literal('state').optional(),
    '`state` adds the state of each check and returns one page. Enables the other parameters.',
  ),
  status: field(ListedStatus.optional(), 'Only checks with this status.'),
  type: field(CheckType.optional(), 'Only checks of this type.'),
  name: field(NameFilter.optional(), 'Only checks with this text in the name. Case-insensitive.'),
  tag: field(Tag.optional(), 'Only checks with this tag, in any case.'),
  limit: limitUpTo(limits.checkRowsPageMax),
  cursor: field(z.string().max(1_000).optional(), '`nextCursor` of the previous page, same sort and filter.'),
  sort: field(
    CheckSort.optional(),
    'Order. `status` is worst first, `changed` latest change first, `-` reverses. Default: `status` with `include=state`, else `created`.',
  ),
})
export type ChecksQuery = z.infer<typeof ChecksQuery>
