import { z } from 'zod'
import { Assertions } from './assertions.ts'
import { CheckConfig } from './check-config.ts'
import { CheckCertificate, CheckDomain } from '../reading/certificate.ts'
import { RefusedAs } from './check-timeout.ts'
import { Heartbeat } from '../heartbeat/heartbeat.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { Verdict } from '../reading/reading.ts'
import { ReadingDetails, Timings } from '../reading/reading-details.ts'
import { AnyRegion } from '../reading/regions.ts'
import { settingsTypeNames } from './types-with-settings.ts'

export const CheckType = z.enum(['http', 'multistep', ...settingsTypeNames, 'heartbeat'])
export type CheckType = z.infer<typeof CheckType>

/** The status of a check by its recent readings (S-901). */
export const CheckStatus = z.enum(['operational', 'degraded', 'down', 'stale', 'unknown'])
export type CheckStatus = z.infer<typeof CheckStatus>

export const RegionStatusName = z.enum(['up', 'down', 'blocked', 'stale', 'unknown'])
export type RegionStatusName = z.infer<typeof RegionStatusName>

export { Instant }

/** A check in all responses. `url` is unchanged from the input. */
export const Check = z.object({
  id: z.string(),
  name: z.string(),
  type: CheckType,
  url: z.string().nullable(),
  target: z.string().nullable(),
  intervalSeconds: z.int(),
  regions: z.array(AnyRegion),
  allRegions: z.boolean(),
  paused: z.boolean(),
  private: z.boolean(),
  ...Assertions.shape,
  /** The timeout of one attempt; absent for the default of the interval. */
  timeoutSeconds: z.int().optional(),
  /** The verdict for a bare 403 or 429; absent for `down`. */
  refusedAs: RefusedAs.optional(),
  /** Its request is more than a GET, which only the dashboard sets; absent for a GET. */
  hasRequest: z.literal(true).optional(),
  /** In the order in which they were given. */
  tags: z.array(z.string()),
  status: CheckStatus,
  createdAt: Instant,
  updatedAt: Instant,
})
export type Check = z.infer<typeof Check>

/** The evidence of one region: result, time and freshness. */
export const RegionStatus = z.object({
  region: AnyRegion,
  status: RegionStatusName,
  reason: z.string().nullable(),
  latencyMs: z.number().nullable(),
  measuredAt: Instant.nullable(),
  fresh: z.boolean(),
  verdict: Verdict.nullable(),
  timings: Timings,
})
export type RegionStatus = z.infer<typeof RegionStatus>

const ratio = z.number().min(0).max(1).nullable()

/** The share of measured time that was up, 0 to 1; null without measurements. */
export const Uptime = z.object({ day: ratio, week: ratio, month: ratio, quarter: ratio })
export type Uptime = z.infer<typeof Uptime>

/** The measured share of each window, 0 to 1, which is the base of uptime. null when it could not be read. */
export const MeasuredShare = z.object({ day: ratio, week: ratio, month: ratio, quarter: ratio })
export type MeasuredShare = z.infer<typeof MeasuredShare>

export const CheckDetail = Check.extend({
  statusSince: Instant.nullable(),
  /** The reason of a status other than operational. */
  statusReason: z.string().nullable(),
  /** `local` when every region is measured from one machine (all-in-one). */
  vantage: z.enum(['local', 'regional']),
  /** The time of the newest counted reading. */
  measuredAt: Instant.nullable(),
  staleAfterSeconds: z.number(),
  regionStatuses: z.array(RegionStatus),
  /** Set when failures recur: failed readings and all readings of the affected regions. */
  intermittent: z.object({ failed: z.int().min(0), of: z.int().min(0), since: Instant }).optional(),
  uptime: Uptime,
  measuredShare: MeasuredShare,
  /** The time up to which both are counted, at most 5 s ago; absent when they could not be read. */
  uptimeAt: Instant.optional(),
  /** The certificates of its target, first to expire first; absent without any. */
  certificates: z.array(CheckCertificate).optional(),
  /** Absent when no registry reported the domain. */
  domain: CheckDomain.optional(),
  /** Only for heartbeats. */
  heartbeat: Heartbeat.optional(),
  /** Settings of its type, or its steps; null: only a newer version understands them. */
  config: CheckConfig.nullable().optional(),
})
export type CheckDetail = z.infer<typeof CheckDetail>

export const CheckParams = z.object({ id: Uuid })

const QueryInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

export const ReadingsQuery = z.strictObject({
  from: QueryInstant.optional(),
  to: QueryInstant.optional(),
  region: AnyRegion.optional(),
  limit: z.coerce.number().int().min(1).max(limits.readingsPageMax).optional(),
  cursor: z.string().max(200).optional(),
})
export type ReadingsQuery = z.infer<typeof ReadingsQuery>

/** A reading in the responses of `GET /checks/:id/readings` and `POST /checks/:id/run`. */
export const StoredReading = z.object({
  region: AnyRegion,
  slot: Instant,
  kind: z.enum(['scheduled', 'confirmation', 'manual']),
  verdict: Verdict,
  reason: z.string().nullable(),
  httpStatus: z.int().nullable(),
  latencyMs: z.number().nullable(),
  timings: Timings,
  measuredAt: Instant,
  /** null in the response to a run: the reading is measured but not stored yet. */
  receivedAt: Instant.nullable(),
  agent: z.string(),
  /** Expiry of the target's certificate; null without one. */
  certificateExpiresAt: Instant.nullable().optional(),
  /** Details specific to the type; null without any. */
  details: ReadingDetails.nullable(),
})
export type StoredReading = z.infer<typeof StoredReading>

export const SeriesQuery = z.strictObject({
  from: QueryInstant.optional(),
  to: QueryInstant.optional(),
  step: z.coerce.number().int().min(limits.seriesStepSecondsMin).max(2_592_000).optional(),
  region: AnyRegion.optional(),
})
export type SeriesQuery = z.infer<typeof SeriesQuery>

/**
 * One step of a series. `due` slots are expected, `measured` ones are stored, `lost` is the difference. A slot of the
 * last minutes, whose reading may still arrive, is due once it is stored: `due` is never below `measured`.
 */
export const SeriesPoint = z.object({
  at: Instant,
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  /** Up readings divided by up and down readings; null without any. */
  availability: ratio,
  up: z.int(),
  down: z.int(),
  blocked: z.int(),
  unmeasured: z.int(),
  due: z.int(),
  measured: z.int(),
  lost: z.int(),
})
export type SeriesPoint = z.infer<typeof SeriesPoint>

export const Series = z.object({
  checkId: z.string(),
  region: AnyRegion.nullable(),
  from: Instant,
  to: Instant,
  stepSeconds: z.int(),
  points: z.array(SeriesPoint),
})
export type Series = z.infer<typeof Series>

/** The start of a status reason that contains the share of failures. */
export const comesAndGoesWords = 'comes and goes: '

/**
 * The reason of a status, plus the share of failed readings when failures recur and the reason does not contain
 * it. The reason alone describes only the current failure, not the successes in between.
 */
export const fullStatusReason = ({
  statusReason,
  intermittent,
}: Pick<CheckDetail, 'statusReason' | 'intermittent'>): string | null => {
  if (intermittent === undefined || statusReason?.startsWith(comesAndGoesWords)) return statusReason
  const { failed, of, since } = intermittent
  const share = `fails now and then: ${failed} of ${of} readings failed since ${since.slice(11, 16)} UTC`
  return statusReason === null ? share : `${statusReason}; ${share}`
}
