import { z } from 'zod'
import { ReportRegion } from '../outage/answers.ts'
import { CheckStatus, Instant, StoredReading } from '../check/check.ts'
import { Incident, IncidentUpdate } from '../incident/incident.ts'
import { limits } from '../schema/limits.ts'
import { Reading } from '../reading/reading.ts'
import { Region } from '../reading/regions.ts'

/** A status change of one check, recorded exactly once. */
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

/** An event of `GET /v1/events`: `event: flip`, `event: incident` or `event: reading`. */
export const AccountEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('flip'), accountId: z.string(), flip: Flip }),
  z.object({
    kind: z.literal('incident'),
    accountId: z.string(),
    incident: Incident.omit({ updates: true, members: true, memberCount: true, componentIds: true }),
    /** The newest update of its timeline. */
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
 * Accounts with open streams, broadcast by each control plane every `watchingMs`. Readings are broadcast only for
 * watched accounts. Valid for `watchedMs`.
 */
export const Watching = z.object({ accountIds: z.array(z.string()) })
export type Watching = z.infer<typeof Watching>
export const watchingMs = 4_000
export const watchedMs = 15_000

/**
 * Readings of catalog services, broadcast by the owner of their partition to all control planes, which answer from
 * memory. At most once; missed readings are loaded from the database.
 */
export const CatalogReadings = z.object({
  readings: z.array(Reading.omit({ screenshot: true })).max(limits.readingsPerMessageMax),
})
export type CatalogReadings = z.infer<typeof CatalogReadings>

/**
 * The regions that an assessor has quarantined. Broadcast every `quarantineBroadcastMs`, even when empty. Valid for
 * `quarantineValidMs`.
 */
export const QuarantinedRegions = z.object({
  teller: z.string(),
  regions: z.array(Region),
  /** The start of each quarantine, Unix ms, in the same order. Older control planes do not send it. */
  sinceMs: z.array(z.number()).optional(),
  /** Regions in which several unrelated hosts stopped answering at once, with the start. Absent when empty. */
  bursts: z.array(z.object({ region: Region, sinceMs: z.number() })).optional(),
})
export type QuarantinedRegions = z.infer<typeof QuarantinedRegions>
export const quarantineBroadcastMs = 2_000
export const quarantineValidMs = 10_000

/** A user report that a control plane has counted. It contains a hash of the reporter, which is never stored. */
export const BroadcastReport = z.object({
  slug: z.string(),
  region: ReportRegion,
  /** HMAC of service and address, with a daily key that only control planes have. */
  reporter: z.string().regex(/^[\w-]{16}$/),
})
export type BroadcastReport = z.infer<typeof BroadcastReport>

/**
 * Reports that one control plane broadcasts to the others, so that each knows the whole last hour and an address
 * counts once. At most once, every `reportsBroadcastMs` or when `reportsPerEventMax` are collected.
 */
export const reportsBroadcastMs = 250
export const reportsPerEventMax = 1_000
export const ReportsBroadcast = z.object({
  teller: z.string(),
  reports: z.array(BroadcastReport).max(reportsPerEventMax),
})
export type ReportsBroadcast = z.infer<typeof ReportsBroadcast>
