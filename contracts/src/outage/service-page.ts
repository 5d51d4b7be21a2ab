import { z } from 'zod'
import { components, field } from '../schema/field.ts'
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
  at: field(Instant, 'Start of the step.'),
  p50Ms: field(milliseconds, 'Median, ms. null without an up reading.', 84.2),
  p95Ms: field(milliseconds, '95 % of readings are at most this.', 142.8),
  up: field(count, 'Number of up readings.', 240),
  down: field(count, 'Number of down readings.', 0),
  blocked: field(count, 'Number of readings that the target refused. Never counted as down.', 0),
  unmeasured: field(count, 'Number of readings that the probe itself could not take.', 0),
})
export type ServiceStep = z.infer<typeof ServiceStep>
components.add(ServiceStep, { id: 'ServiceStep' })

/** A day in UTC. Blocked and unmeasured readings count neither as up nor as down. */
export const ServiceDay = z.object({
  date: field(z.iso.date(), 'Day in UTC.', '2026-11-20'),
  upShare: field(share, 'Share of up among up and down readings, rounded down. null without any.', 0.9998),
  measuredSeconds: field(count, 'Full hours with an up or down reading, and this hour so far.', 86_400),
  unmeasuredSeconds: field(count, 'The rest of the elapsed day.', 0),
})
export type ServiceDay = z.infer<typeof ServiceDay>
components.add(ServiceDay, { id: 'ServiceDay' })

export const ServiceHistory = z.object({
  asOf: field(Instant, 'Time of the data.'),
  from: field(Instant, 'Start of the period.'),
  to: field(Instant, 'End of the current step.'),
  stepSeconds: field(z.int().min(1), 'Seconds of one point.', 3600),
  steps: field(z.array(ServiceStep), 'All steps of 15 minutes of the last 24 hours, oldest first.'),
  days: field(z.array(ServiceDay), 'Days in UTC, oldest first.'),
  upShare: field(share, 'Share over all days.', 0.9998),
})
export type ServiceHistory = z.infer<typeof ServiceHistory>
components.add(ServiceHistory, { id: 'ServiceHistory' })

/** The content of a service page. */
export const ServicePageAnswer = z.object({
  ...ServiceStatusAnswer.shape,
  category: field(z.string().nullable(), 'Category. null outside the catalog.', 'code_hosting'),
  vendorStatusUrl: field(
    z.string().nullable(),
    "The vendor's own status page, if the catalog has one.",
    'https://www.githubstatus.com',
  ),
  reports: field(ReportVolume, 'Number of user reports.'),
  reportSummary: field(z.string(), 'One sentence about reports and status.', 'Reports are as usual.'),
  reportRegions: field(z.array(Region), 'Regions to choose from in a report.', ['fra', 'iad', 'nrt', 'sjc']),
  incidents: field(
    z.array(PastOutage).max(pastOutagesMax).nullable(),
    'Incidents, newest first. null while ClickHouse is unavailable, which does not mean none.',
  ),
  history: field(
    ServiceHistory.nullable(),
    'Last 24 hours and last 90 days. null while ClickHouse is unavailable, and outside the catalog.',
  ),
})
export type ServicePageAnswer = z.infer<typeof ServicePageAnswer>
components.add(ServicePageAnswer, { id: 'ServicePageAnswer' })
