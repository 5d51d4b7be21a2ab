import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { Assertions } from './assertions.ts'
import { CheckConfig } from './check-config.ts'
import { CheckCertificate, CheckDomain, UnknownDomain } from '../reading/certificate.ts'
import { RefusedAs } from './check-timeout.ts'
import { Heartbeat } from '../heartbeat/heartbeat.ts'
import { id, Uuid } from '../schema/ids.ts'
import { limitUpTo } from '../schema/list.ts'
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

export const Vantage = field(z.enum(['local', 'regional']), '`local`: one machine measures for all regions.')

export const RegionStatusName = z.enum(['up', 'down', 'blocked', 'stale', 'unknown'])
export type RegionStatusName = z.infer<typeof RegionStatusName>

export { Instant }

/** A check in all responses. `url` is unchanged from the input. */
export const Check = z.object({
  id,
  name: field(z.string(), 'Name.', 'Shop'),
  type: field(CheckType, 'Type.', 'http'),
  url: field(z.string().nullable(), 'URL as entered, or null.', 'https://shop.example.com/health'),
  target: field(z.string().nullable(), 'Host and port, or null.', null),
  intervalSeconds: field(z.int(), 'Time between probes.', 60),
  regions: field(z.array(AnyRegion), 'Regions that measure.', ['fra', 'iad']),
  allRegions: field(z.boolean(), 'Every live region measures.', false),
  paused: field(z.boolean(), 'Paused: nothing measures it.', false),
  private: field(z.boolean(), 'Measured by a private agent.', false),
  ...Assertions.shape,
  timeoutSeconds: field(z.int().optional(), 'Of an attempt. Absent: by the interval.', 10),
  refusedAs: RefusedAs.optional(),
  hasRequest: field(z.literal(true).optional(), 'Set if it is more than a GET.'),
  tags: field(z.array(z.string()), 'Labels that group checks.', ['shop', 'prod']),
  status: field(CheckStatus, 'By recent readings.'),
  createdAt: field(Instant, 'Creation.'),
  updatedAt: field(Instant, 'Last change.'),
})
export type Check = z.infer<typeof Check>
components.add(Check, { id: 'Check' })

/** The evidence of one region: result, time and freshness. */
export const RegionStatus = z.object({
  region: AnyRegion,
  status: field(RegionStatusName, 'State by its newest reading.', 'up'),
  reason: field(z.string().nullable(), 'Why it is not up.', null),
  latencyMs: field(z.number().nullable(), 'Duration.', 84.2),
  measuredAt: field(Instant.nullable(), 'Time of the newest reading.'),
  fresh: field(z.boolean(), 'Whether it still counts.', true),
  verdict: field(Verdict.nullable(), "The agent's judgement of the reading.", 'up'),
  timings: field(Timings, 'Phases of the final request, ms. null: not reached.'),
})
export type RegionStatus = z.infer<typeof RegionStatus>
components.add(RegionStatus, { id: 'RegionStatus' })

const ratio = z.number().min(0).max(1).nullable()

export const Uptime = z.object({
  day: field(ratio, '24 hours, 0 to 1. null: not measured.', 0.9993),
  week: field(ratio, '7 days.', 0.9998),
  month: field(ratio, '30 days.', 0.9997),
  quarter: field(ratio, '90 days.', 0.9995),
})
export type Uptime = z.infer<typeof Uptime>
components.add(Uptime, { id: 'Uptime' })

/** The measured share of each window, 0 to 1, which is the base of uptime. null when it could not be read. */
export const MeasuredShare = z.object({
  day: field(ratio, '24 hours, 0 to 1. null: not read.', 1),
  week: field(ratio, '7 days.', 1),
  month: field(ratio, '30 days.', 0.998),
  quarter: field(ratio, '90 days.', 0.997),
})
export type MeasuredShare = z.infer<typeof MeasuredShare>
components.add(MeasuredShare, { id: 'MeasuredShare' })

export const CheckDetail = Check.extend({
  statusSince: field(Instant.nullable(), 'Start of the current status.'),
  statusReason: field(z.string().nullable(), 'Reason of a status other than operational.', null),
  vantage: Vantage,
  measuredAt: field(Instant.nullable(), 'Newest reading that counts.'),
  staleAfterSeconds: field(z.number(), 'Age from which none counts.', 145),
  regionStatuses: field(z.array(RegionStatus), 'Newest evidence of each region.'),
  intermittent: field(
    z
      .object({
        failed: field(z.int().min(0), 'Failed readings of the affected regions.', 3),
        of: field(z.int().min(0), 'All readings of the affected regions.', 20),
        since: field(Instant, 'Start of the count.'),
      })
      .optional(),
    'Present while failures recur between successes.',
  ),
  uptime: field(Uptime, 'Share of the measured time that was up.'),
  measuredShare: field(MeasuredShare, 'Share of each window that was measured.'),
  uptimeAt: field(Instant.optional(), 'Until when the uptime counts. Absent when not read.'),
  certificates: field(z.array(CheckCertificate).optional(), 'Its certificates, first to expire first.'),
  domain: field(CheckDomain.optional(), 'Registration. Absent when no registry reported it.'),
  domainUnknown: field(UnknownDomain.optional(), 'Why `domain` is absent. Not of heartbeats.'),
  heartbeat: field(Heartbeat.optional(), 'Only for heartbeats.'),
  config: field(CheckConfig.nullable().optional(), 'Settings of its type. null: of a newer version.'),
})
export type CheckDetail = z.infer<typeof CheckDetail>
components.add(CheckDetail, { id: 'CheckDetail' })

export const CheckParams = z.object({ id: field(Uuid, 'Id of the check.') })

const QueryInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

export const ReadingsQuery = z.strictObject({
  from: field(QueryInstant.optional(), 'Only readings at or after this time.'),
  to: field(QueryInstant.optional(), 'Only readings before this time.'),
  region: field(AnyRegion.optional(), 'Only readings of this region.'),
  limit: limitUpTo(limits.readingsPageMax),
  cursor: field(z.string().max(200).optional(), '`nextCursor` of the previous page with the same filters.'),
})
export type ReadingsQuery = z.infer<typeof ReadingsQuery>

/** A reading in the responses of `GET /checks/:id/readings` and `POST /checks/:id/run`. */
export const StoredReading = z.object({
  region: AnyRegion,
  slot: field(Instant, 'Scheduled time of the reading.'),
  kind: field(
    z.enum(['scheduled', 'confirmation', 'manual']),
    '`confirmation` and `manual` readings are extra evidence beside the scheduled ones.',
  ),
  verdict: field(Verdict, "The agent's judgement of the reading.", 'up'),
  reason: field(z.string().nullable(), 'Why it is not up.', null),
  httpStatus: field(z.int().nullable(), 'Status of the response.', 200),
  latencyMs: field(z.number().nullable(), 'Duration.', 84.2),
  timings: field(Timings, 'Phases of the final request, ms. null: not reached.'),
  measuredAt: field(Instant, 'Time of the measurement.'),
  receivedAt: field(Instant.nullable(), 'When the reading was stored. null in the answer of a run.'),
  agent: field(z.string(), 'Name of the agent that measured.', 'fra-1'),
  certificateExpiresAt: field(Instant.nullable().optional(), 'End of the certificate. null without one.'),
  details: field(ReadingDetails.nullable(), 'Details of the type of check. null without any.'),
})
export type StoredReading = z.infer<typeof StoredReading>
components.add(StoredReading, { id: 'StoredReading' })

export const SeriesQuery = z.strictObject({
  from: field(QueryInstant.optional(), 'Start. Absent: 24 hours before the end.'),
  to: field(QueryInstant.optional(), 'End. Absent: now.'),
  step: field(
    z.coerce.number().int().min(limits.seriesStepSecondsMin).max(2_592_000).optional(),
    'Seconds of one point, a multiple of 60. Absent: at most 300 points.',
    3600,
  ),
  region: field(AnyRegion.optional(), 'Only readings of this region.'),
})
export type SeriesQuery = z.infer<typeof SeriesQuery>

/**
 * One step of a series. `due` slots are expected, `measured` ones are stored, `lost` is the difference. A slot of the
 * last minutes, whose reading may still arrive, is due once it is stored: `due` is never below `measured`.
 */
export const SeriesPoint = z.object({
  at: field(Instant, 'Start of the step.'),
  p50Ms: field(z.number().nullable(), 'Median, ms. null without an up reading.', 84.2),
  p95Ms: field(z.number().nullable(), '95 % of readings are at most this.', 142.8),
  p99Ms: field(z.number().nullable(), '99 % of the readings were at most this slow.', 203.1),
  availability: field(ratio, 'Up readings divided by up and down readings. null without any.', 1),
  up: field(z.int(), 'Number of up readings.', 240),
  down: field(z.int(), 'Number of down readings.', 0),
  blocked: field(z.int(), 'Number of readings that the target refused. Never counted as down.', 0),
  unmeasured: field(z.int(), 'Number of readings that the probe itself could not take.', 0),
  due: field(z.int(), 'Readings that were expected.', 240),
  measured: field(z.int(), 'Readings that were stored.', 240),
  lost: field(z.int(), 'Expected readings that are missing.', 0),
})
export type SeriesPoint = z.infer<typeof SeriesPoint>
components.add(SeriesPoint, { id: 'SeriesPoint' })

export const Series = z.object({
  checkId: field(id, 'Id of the check.'),
  region: field(AnyRegion.nullable(), 'Region that was selected. null: all regions.', null),
  from: field(Instant, 'Start of the period.'),
  to: field(Instant, 'End of the period.'),
  stepSeconds: field(z.int(), 'Seconds of one point.', 3600),
  points: field(z.array(SeriesPoint), 'Points, oldest first.'),
})
export type Series = z.infer<typeof Series>
components.add(Series, { id: 'Series' })

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
