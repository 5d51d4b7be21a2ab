import { z } from 'zod'
import { PastOutage, pastOutagesMax, ReportVolume, ServiceStatusAnswer } from './answers.ts'
import { Instant } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'

/** Days of a service's history, today among them. */
export const serviceDays = 90
/** Seconds of one step of its last 24 hours. */
export const serviceStepSeconds = 900

const count = z.int().min(0)
const milliseconds = z.number().min(0).nullable()
const share = z.number().min(0).max(1).nullable()

/**
 * What all probes of a service in all regions read in one step. A failure of a probe in a region
 * where it had not been good before counts as unmeasured: what was never seen to work did not stop.
 */
export const ServiceStep = z.object({
  at: Instant,
  /** Of the readings that were up; null where none was. */
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  up: count,
  down: count,
  blocked: count,
  unmeasured: count,
})
export type ServiceStep = z.infer<typeof ServiceStep>

/** A day in UTC. Blocked and unmeasured readings count neither as up nor as down. */
export const ServiceDay = z.object({
  date: z.iso.date(),
  /** Up readings over up and down readings, cut; null where there was neither. */
  upShare: share,
  /** Whole hours with an up or a down reading, and the hour that it is. */
  measuredSeconds: count,
  /** The rest of the day, as far as it is over. */
  unmeasuredSeconds: count,
})
export type ServiceDay = z.infer<typeof ServiceDay>

export const ServiceHistory = z.object({
  /** When the readings were counted. */
  asOf: Instant,
  from: Instant,
  /** The end of the step that it is. */
  to: Instant,
  stepSeconds: z.int().min(1),
  /** Every step of the last 24 hours, oldest first, those without a reading too. */
  steps: z.array(ServiceStep),
  /** Oldest first, `serviceDays` of them. */
  days: z.array(ServiceDay),
  /** Of all days together. */
  upShare: share,
})
export type ServiceHistory = z.infer<typeof ServiceHistory>

/** All that the page of a service shows, in one answer. */
export const ServicePageAnswer = z.object({
  ...ServiceStatusAnswer.shape,
  /** What it is for; null outside the catalog. */
  category: z.string().nullable(),
  /** The vendor's own status page, where the catalog names one. */
  vendorStatusUrl: z.string().nullable(),
  reports: ReportVolume,
  /** Of what people report, with the status. */
  reportSummary: z.string(),
  /** Regions that a report may name. */
  reportRegions: z.array(Region),
  /** Newest first; null while the time series cannot be read, which is not that there were none. */
  incidents: z.array(PastOutage).max(pastOutagesMax).nullable(),
  /** Null while the time series cannot be read, and outside the catalog. */
  history: ServiceHistory.nullable(),
})
export type ServicePageAnswer = z.infer<typeof ServicePageAnswer>
