import { z } from 'zod'
import { common, count, Factor, latencyMs, NamedService, probes, regionsReadMax } from './answers.ts'
import { Region } from '../reading/regions.ts'
import { components, field } from '../schema/field.ts'
import { Instant } from '../schema/text.ts'

// The keyless answers about the whole internet: its speed by region, and outages that services share.

export const WeatherVerdict = z.enum(['normal', 'slower', 'no_data'])
export type WeatherVerdict = z.infer<typeof WeatherVerdict>

export const RegionWeather = z.object({
  region: Region,
  p50Ms: field(latencyMs, 'Median, ms. null without an up reading.', 84.2),
  p75Ms: field(latencyMs, '75 % of readings are at most this.', 110.4),
  p95Ms: field(latencyMs, '95 % of readings are at most this.', 142.8),
  samples: field(count, 'Number of readings.', 612),
  baseline: field(
    z
      .object({
        p50Ms: field(z.number(), 'Median, ms. null without an up reading.', 84.2),
        p75Ms: field(z.number(), '75 % of readings are at most this.', 110.4),
        p95Ms: field(z.number(), '95 % of readings are at most this.', 142.8),
        samples: field(count, 'Number of readings.', 612),
        days: field(count, 'Number of days.', 7),
      })
      .nullable(),
    'Same hour on the last 7 days. null without enough data.',
  ),
  ratio: field(z.number().min(0).nullable(), 'Median over services: response time / usual one.', 1.04),
  verdict: field(WeatherVerdict, 'Whether the region is slower than usual.', 'normal'),
})
export type RegionWeather = z.infer<typeof RegionWeather>
components.add(RegionWeather, { id: 'RegionWeather' })

export const WeatherAnswer = z.object({
  verdict: field(WeatherVerdict, 'Verdict over all regions.', 'normal'),
  regions: field(z.array(RegionWeather).max(regionsReadMax), 'Speed by region.'),
  ...common,
})
export type WeatherAnswer = z.infer<typeof WeatherAnswer>
components.add(WeatherAnswer, { id: 'WeatherAnswer' })

const members = field(
  z.array(
    z.object({
      ...NamedService.shape,
      since: field(Instant, 'Start.'),
      probes,
    }),
  ),
  'Services that are the evidence.',
)

/**
 * An outage of a provider that several services share, inferred from them. It is separate from the status of
 * each.
 */
export const SharedIncident = z.object({
  factor: field(Factor, 'Provider that the failing services share.'),
  members,
  measuredCount: field(count, 'Measured services with this provider, at the last evaluation.', 24),
  regions: field(z.array(Region), 'Regions in which its services fail.', ['fra', 'iad']),
  since: field(Instant, 'Start.'),
  // calibrated: in simulated years of the catalog, 9 of 10 incidents with 0.9 are true
  confidence: field(z.number().min(0).max(1), 'Highest probability so far that it fails, 0 to 1.', 0.97),
})
export type SharedIncident = z.infer<typeof SharedIncident>
components.add(SharedIncident, { id: 'SharedIncident' })

/** Services of one vendor that fail together, without a shared provider as the cause. */
export const VendorOutage = z.object({
  vendor: field(z.string(), 'Name of the vendor.', 'Example'),
  members,
  measuredCount: field(count, 'Measured services of the vendor.', 24),
  regions: field(z.array(Region), 'Regions in which they fail.', ['fra']),
  since: field(Instant, 'Start.'),
})
export type VendorOutage = z.infer<typeof VendorOutage>
components.add(VendorOutage, { id: 'VendorOutage' })

export const InternetAnswer = z.object({
  status: field(z.enum(['incident', 'none', 'no_data']), '`incident`: a shared provider fails.', 'none'),
  sharedIncident: field(SharedIncident.nullable(), 'Outage of a provider that several services share.', null),
  vendorOutage: field(
    VendorOutage.nullable().default(null),
    'Largest outage of one vendor. It does not change the status.',
    null,
  ),
  ...common,
})
export type InternetAnswer = z.infer<typeof InternetAnswer>
components.add(InternetAnswer, { id: 'InternetAnswer' })
