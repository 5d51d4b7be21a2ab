import { z } from 'zod'
import { PastOutage, pastOutagesMax, ReportVolume, ServiceStatusAnswer } from './answers.ts'
import { Instant } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'

/** Days of a service's history, including today. */
export const serviceDays = 90
/** The step of the last 24 hours, seconds. */
export const serviceStepSeconds = 900

const count = z.int().min(0)
const milliseconds = z.number().min(0).nullable()
const share = z.number().min(0).max(1).nullable()

/**
 * The readings of all probes of a service in all regions in one step. A failure counts as unmeasured when the probe
 * never succeeded in that region.
 */
export const ServiceStep = z.object({
  at: Instant,
  /** The latency of up readings; null without any. */
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
  /** Up readings divided by up and down readings, rounded down; null without any. */
  upShare: share,
  /** Full hours with an up or down reading, plus the elapsed part of the current hour. */
  measuredSeconds: count,
  /** The rest of the elapsed day. */
  unmeasuredSeconds: count,
})
export type ServiceDay = z.infer<typeof ServiceDay>

export const ServiceHistory = z.object({
  /** The time of the count. */
  asOf: Instant,
  from: Instant,
  /** The end of the current step. */
  to: Instant,
  stepSeconds: z.int().min(1),
  /** All steps of the last 24 hours, oldest first, including those without readings. */
  steps: z.array(ServiceStep),
  /** `serviceDays` days, oldest first. */
  days: z.array(ServiceDay),
  /** The share over all days. */
  upShare: share,
})
export type ServiceHistory = z.infer<typeof ServiceHistory>

/** The content of a service page. */
export const ServicePageAnswer = z.object({
  ...ServiceStatusAnswer.shape,
  /** The category; null outside the catalog. */
  category: z.string().nullable(),
  /** The vendor's own status page, if the catalog has one. */
  vendorStatusUrl: z.string().nullable(),
  reports: ReportVolume,
  /** A sentence about user reports and the status. */
  reportSummary: z.string(),
  /** Regions for a report. */
  reportRegions: z.array(Region),
  /** Newest first; null while ClickHouse is unavailable, which does not mean none. */
  incidents: z.array(PastOutage).max(pastOutagesMax).nullable(),
  /** null while ClickHouse is unavailable, and outside the catalog. */
  history: ServiceHistory.nullable(),
})
export type ServicePageAnswer = z.infer<typeof ServicePageAnswer>
