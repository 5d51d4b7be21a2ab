import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id } from '../schema/ids.ts'
import { ReportRegion } from '../outage/answers.ts'
import { CheckStatus, Instant, StoredReading } from '../check/check.ts'
import { Incident, IncidentUpdate } from '../incident/incident.ts'
import { limits } from '../schema/limits.ts'
import { Reading } from '../reading/reading.ts'
import { Region } from '../reading/regions.ts'

/** A status change of one check, recorded exactly once. */
export const Flip = z.object({
  id,
  accountId: field(id, 'Id of the account.'),
  checkId: field(id, 'Id of the check.'),
  checkName: field(z.string(), 'Name of the check.', 'Shop'),
  from: field(CheckStatus, 'Status before.', 'operational'),
  to: field(CheckStatus, 'Status after.', 'down'),
  reason: field(z.string().nullable(), 'Why the status changed.', 'expected 200-299, got 503'),
  at: field(Instant, 'Time of the change.'),
})
export type Flip = z.infer<typeof Flip>
components.add(Flip, { id: 'Flip' })

/** An event of `GET /v1/events`: `event: flip`, `event: incident` or `event: reading`. */
export const AccountEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: field(z.literal('flip'), 'What the event is about.'),
    accountId: field(id, 'Id of the account.'),
    flip: field(Flip, 'Change of the status of a check.'),
  }),
  z.object({
    kind: field(z.literal('incident'), 'What the event is about.'),
    accountId: field(id, 'Id of the account.'),
    incident: field(
      Incident.omit({ updates: true, members: true, memberCount: true, componentIds: true }),
      'Incident without its updates.',
    ),
    update: field(IncidentUpdate, 'Newest update of the incident.'),
  }),
  z.object({
    kind: field(z.literal('reading'), 'What the event is about.'),
    accountId: field(id, 'Id of the account.'),
    checkId: field(id, 'Id of the check.'),
    reading: field(StoredReading, 'New reading.'),
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

/**
 * A control plane answers requests, so it wants the states of others that are not in the database yet. Broadcast every
 * `statesWantedMs`; valid for `statesWantedValidMs`.
 */
export const StatesWanted = z.object({ teller: z.string() })
export const statesWantedMs = 4_000
export const statesWantedValidMs = 15_000

/**
 * States of regions that only got newer, told by the owner of their partition to control planes that want them. At
 * most once; a missed one is stored within 30 s.
 */
export const StatesTold = z.object({
  teller: z.string(),
  states: z
    .array(
      z.object({
        checkId: id,
        version: z.int(),
        regions: z.record(z.string(), z.looseObject({ measuredAt: z.number(), unmeasuredAt: z.number() })),
      }),
    )
    .max(500),
})
export type StatesTold = z.infer<typeof StatesTold>
