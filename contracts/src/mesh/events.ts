import { z } from 'zod'
import { ReportRegion } from '../outage/answers.ts'
import { CheckStatus, Instant, StoredReading } from '../check/check.ts'
import { Incident, IncidentUpdate } from '../incident/incident.ts'
import { limits } from '../schema/limits.ts'
import { Reading } from '../reading/reading.ts'
import { Region } from '../reading/regions.ts'

/** A status change of one check; it happens exactly once. */
export const Flip = z.object({
  id: z.string(),
  accountId: z.string(),
  checkId: z.string(),
  checkName: z.string(),
  from: CheckStatus,
  to: CheckStatus,
  reason: z.string().nullable(),
  at: Instant,
})
export type Flip = z.infer<typeof Flip>

/** What `GET /v1/events` streams: `event: flip`, `event: incident` or `event: reading`. */
export const AccountEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('flip'), accountId: z.string(), flip: Flip }),
  z.object({
    kind: z.literal('incident'),
    accountId: z.string(),
    incident: Incident.omit({ updates: true, members: true, memberCount: true }),
    /** The newest of its timeline: opened, said or resolved just now. */
    update: IncidentUpdate,
  }),
  z.object({
    kind: z.literal('reading'),
    accountId: z.string(),
    checkId: z.string(),
    reading: StoredReading,
  }),
])
export type AccountEvent = z.infer<typeof AccountEvent>

/**
 * Whose streams are open, said by whoever serves them at this pace: readings are told only to
 * accounts that somebody watches. Believed for `watchedMs`.
 */
export const Watching = z.object({ accountIds: z.array(z.string()) })
export type Watching = z.infer<typeof Watching>
export const watchingMs = 4_000
export const watchedMs = 15_000

/**
 * Readings of catalog services, told by whoever assesses their partition to every control plane:
 * answers are made from memory. At most once; what is missed is read from the store.
 */
export const CatalogReadings = z.object({
  readings: z.array(Reading.omit({ screenshot: true })).max(limits.readingsPerMessageMax),
})
export type CatalogReadings = z.infer<typeof CatalogReadings>

/**
 * The regions that an assessor has quarantined, said at this pace also when there are none.
 * Believed for `quarantineToldMs`.
 */
export const QuarantinedRegions = z.object({
  teller: z.string(),
  regions: z.array(Region),
  /** Since when each of them, Unix ms, in the same order; absent where the teller is older than this field. */
  sinceMs: z.array(z.number()).optional(),
  /** Regions in which several unrelated hosts fell silent at once, and since when; absent where there are none. */
  bursts: z.array(z.object({ region: Region, sinceMs: z.number() })).optional(),
})
export type QuarantinedRegions = z.infer<typeof QuarantinedRegions>
export const quarantineTellMs = 2_000
export const quarantineToldMs = 10_000

/** A report that an instance has counted: of whom it says a hash, which is never stored. */
export const ToldReport = z.object({
  slug: z.string(),
  region: ReportRegion,
  /** HMAC of service and address under a key of the day that only control planes have. */
  reporter: z.string().regex(/^[\w-]{16}$/),
})
export type ToldReport = z.infer<typeof ToldReport>

/**
 * Reports, told by the control plane that counted them to the others: an address that comes to two
 * counts once, and everybody's last hour holds all. At most once; told at this pace or by so many.
 */
export const reportsTellMs = 250
export const reportsPerEventMax = 1_000
export const ReportsTold = z.object({
  teller: z.string(),
  reports: z.array(ToldReport).max(reportsPerEventMax),
})
export type ReportsTold = z.infer<typeof ReportsTold>
