import { z } from 'zod'
import { CheckDetail, CheckStatus, CheckType } from '../check/check.ts'
import { ListedStatus } from '../check/check-row.ts'
import { ReleaseMark } from '@probe-mesh/error-tracking/contracts/error-marks'
import { Incident } from '../incident/incident.ts'
import { MaintenanceWindow } from '../maintenance/maintenance.ts'
import { Region } from '../reading/regions.ts'
import { read, type Route } from '../schema/route.ts'
import { Instant } from '../schema/text.ts'
import { Outage } from './outage-log.ts'

/** Listed outages and incidents of the overview. */
export const overviewOpenMax = 5
/** Listed things of one kind that need attention. */
export const attentionItemsMax = 5
/** Listed flips, releases and windows of the last 24 hours, newest first. */
export const activityMax = 50
/** Days before an expiry from which a certificate or domain needs attention. */
export const attentionDays = 14
/** Unresolved issues are counted up to this number. */
export const issuesCountMax = 1_000
/** Latency is measured over at most this many checks of an account. */
export const latencyChecksMax = 500

/**
 * What needs a person, worst first. `no_channel` and `no_receiver` are the running checks whose outage no one would be
 * notified of: no enabled rule that covers them reaches a tested channel, a member or a confirmed address. With
 * `no_channel` the account has no channel and mails no one. A channel is `channel_failing` while its messages do not
 * arrive.
 */
export const AttentionKind = z.enum([
  'no_channel',
  'no_receiver',
  'channel_failing',
  'stale',
  'never_measured',
  'certificate_expiring',
  'domain_expiring',
  'channel_unverified',
  'never_pinged',
])
export type AttentionKind = z.infer<typeof AttentionKind>

const Attention = z.object({
  kind: AttentionKind,
  count: z.int(),
  /** Checks or channels, the most urgent first, at most `attentionItemsMax`; empty for the kinds of the account. */
  items: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        /** Since when it is stale, failing or waiting; or when the certificate or domain expires. */
        at: Instant.nullable(),
      }),
    )
    .max(attentionItemsMax),
})
export type Attention = z.infer<typeof Attention>

const OverviewFlip = z.object({
  at: Instant,
  checkId: z.string(),
  checkName: z.string(),
  checkType: CheckType,
  from: CheckStatus,
  to: CheckStatus,
  reason: z.string().nullable(),
})

const latency = { p50Ms: z.number().nullable() }

export const Overview = z.object({
  at: Instant,
  vantage: CheckDetail.shape.vantage,
  /** All checks, and their number in each status, without zeros. */
  checks: z.object({ total: z.int(), byStatus: z.partialRecord(ListedStatus, z.int()) }),
  /** Seen to fail in the largest share of the regions first, then the longest first. */
  openOutages: z.object({
    total: z.int(),
    worst: z.array(Outage).max(overviewOpenMax),
    /** When the oldest and the newest of all began; null without any. */
    oldestAt: Instant.nullable(),
    newestAt: Instant.nullable(),
  }),
  openIncidents: z.object({
    total: z.int(),
    newest: z
      .array(
        Incident.pick({
          id: true,
          statusPageId: true,
          checkId: true,
          title: true,
          status: true,
          source: true,
          startedAt: true,
        }),
      )
      .max(overviewOpenMax),
  }),
  attention: z.array(Attention),
  /**
   * Of all checks in the last 30 days, by the rule of `GET /checks/:id`. Every measured second of every check weighs
   * the same: a check that is measured half of the time weighs half as much. At most a minute old; see `at`.
   */
  uptime: z.object({
    month: z.number().min(0).max(1).nullable(),
    at: Instant,
  }),
  /**
   * Up readings of the last hour. Of an account with more than `latencyChecksMax` checks, that many of them.
   * null: ClickHouse did not answer.
   */
  latency: z.object({ ...latency, p95Ms: z.number().nullable(), checks: z.int(), at: Instant }).nullable(),
  /** The live regions, in their order. */
  regions: z.array(
    z.object({
      region: Region,
      /** `offline`: no agent reports. `unknown`: no report could arrive. `quarantined`: its readings do not count. */
      state: z.enum(['online', 'quarantined', 'offline', 'unknown']),
      agents: z.object({ online: z.int(), offline: z.int(), unknown: z.int() }),
      /** The account's checks that it measures, without paused ones. */
      checks: z.int(),
      /** Of the account's checks in the last hour, as `latency`. */
      ...latency,
    }),
  ),
  /** The last 24 hours. */
  activity: z.object({
    from: Instant,
    flips: z.array(OverviewFlip).max(activityMax),
    moreFlips: z.boolean(),
    releases: z.array(ReleaseMark).max(activityMax),
    /** Windows with some time in it. */
    maintenance: z
      .array(
        MaintenanceWindow.pick({
          id: true,
          statusPageId: true,
          title: true,
          startsAt: true,
          endsAt: true,
          state: true,
        }),
      )
      .max(activityMax),
  }),
})
export type Overview = z.infer<typeof Overview>

/** The counts in the navigation of every page, and what every page says. */
export const Counts = z.object({
  openOutages: z.int(),
  /** Posted incidents that are not resolved. */
  openIncidents: z.int(),
  /** At most `issuesCountMax`, which then means that number or more. */
  unresolvedIssues: z.int(),
  activeMaintenance: z.int(),
  /** Whether agents run and none of them can measure; absent: unknown. */
  nothingMeasured: z.boolean().optional(),
})
export type Counts = z.infer<typeof Counts>

/** Checks in the palette, by name. */
export const paletteChecksMax = 5_000

/** Everything that can be opened by its name, as compact rows for a search in the browser. */
export const Palette = z.object({
  /** [id, name, type, status], by name, at most `paletteChecksMax`. */
  checks: z.array(z.tuple([z.string(), z.string(), CheckType, ListedStatus])),
  /** All checks of the account. */
  checkCount: z.int(),
  /** [id, name, slug] */
  statusPages: z.array(z.tuple([z.string(), z.string(), z.string()])),
  /** [id, name, type] */
  channels: z.array(z.tuple([z.string(), z.string(), z.string()])),
  /** [id, name] */
  rules: z.array(z.tuple([z.string(), z.string()])),
})
export type Palette = z.infer<typeof Palette>

export const overviewRoutes = {
  getOverview: read({
    path: '/overview',
    summary: 'The state of the whole account: what is open, what needs attention, what happened',
    output: Overview,
  }),
  getCounts: read({
    path: '/counts',
    summary: 'Open outages and incidents, unresolved error issues and active maintenance',
    output: Counts,
  }),
  listPaletteEntries: read({
    path: '/palette',
    summary: 'Names of checks, status pages, channels and rules; 304 while unchanged',
    revalidated: true,
    output: Palette,
  }),
} as const satisfies Record<string, Route>
