import { z } from 'zod'
import { Assertions } from './assertions.ts'
import { CheckCertificate, CheckDomain } from '../reading/certificate.ts'
import { RefusedAs } from './check-timeout.ts'
import { Heartbeat } from '../heartbeat/heartbeat.ts'
import { Uuid } from '../schema/ids.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { Verdict } from '../reading/reading.ts'
import { ReadingDetails, Timings } from '../reading/reading-details.ts'
import { AnyRegion } from '../reading/regions.ts'

export const CheckType = z.enum(['http', 'heartbeat', 'tcp', 'dns', 'smtp', 'multistep', 'browser'])
export type CheckType = z.infer<typeof CheckType>

/** The control plane's judgement over recent readings (S-901). */
export const CheckStatus = z.enum(['operational', 'degraded', 'down', 'stale', 'unknown'])
export type CheckStatus = z.infer<typeof CheckStatus>

export const RegionStatusName = z.enum(['up', 'down', 'blocked', 'stale', 'unknown'])
export type RegionStatusName = z.infer<typeof RegionStatusName>

export { Instant }

/** A check as every route returns it. `url` is exactly as sent. */
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
  /** The longest that one attempt may take; absent: the default of the interval. */
  timeoutSeconds: z.int().optional(),
  /** What a bare 403 or 429 means; absent: `down`. */
  refusedAs: RefusedAs.optional(),
  status: CheckStatus,
  createdAt: Instant,
  updatedAt: Instant,
})
export type Check = z.infer<typeof Check>

/** One region's evidence: what was measured, when, and whether that is still fresh. */
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

/** Share of measured time that was up, 0 to 1; null where nothing was measured. */
export const Uptime = z.object({ day: ratio, week: ratio, month: ratio, quarter: ratio })
export type Uptime = z.infer<typeof Uptime>

/** Share of each window in which it was measured, 0 to 1: what uptime is a share of. Null: not read now. */
export const MeasuredShare = z.object({ day: ratio, week: ratio, month: ratio, quarter: ratio })
export type MeasuredShare = z.infer<typeof MeasuredShare>

export const CheckDetail = Check.extend({
  statusSince: Instant.nullable(),
  /** Why the aggregate is what it is, when it is not operational. */
  statusReason: z.string().nullable(),
  /** `local` when every region is measured from one machine (all-in-one). */
  vantage: z.enum(['local', 'regional']),
  /** The newest reading that counted, and how long a reading stays fresh. */
  measuredAt: Instant.nullable(),
  staleAfterSeconds: z.number(),
  regionStatuses: z.array(RegionStatus),
  /** Its failures keep coming back: of the readings of the regions that see them, how many failed. Absent where none do. */
  intermittent: z.object({ failed: z.int().min(0), of: z.int().min(0), since: Instant }).optional(),
  uptime: Uptime,
  measuredShare: MeasuredShare,
  /** Those that its target showed, the one that expires first before the others; absent where it showed none. */
  certificates: z.array(CheckCertificate).optional(),
  /** Absent where no registry told of it. */
  domain: CheckDomain.optional(),
  /** Only of a heartbeat. */
  heartbeat: Heartbeat.optional(),
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

/** A stored reading as `GET /checks/:id/readings` and `POST /checks/:id/run` return it. */
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
  /** null in the answer to a run: it has been measured, not yet stored. */
  receivedAt: Instant.nullable(),
  agent: z.string(),
  /** When the certificate that the target showed expires; null where it showed none. */
  certificateExpiresAt: Instant.nullable().optional(),
  /** What the check's type notes besides; null where it notes nothing. */
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

/** One step of a series. Slots: `due` by the ledger, `measured` stored, `lost` the difference. */
export const SeriesPoint = z.object({
  at: Instant,
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  /** Up readings over up and down readings; null where nothing was measured. */
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

/** What a status reason that tells the share itself begins with. */
export const comesAndGoesWords = 'comes and goes: '

/**
 * Why a check is not operational, with how many readings failed where its failures keep coming back and the reason
 * does not say so itself: of now it says what fails, and not that it was well in between.
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
