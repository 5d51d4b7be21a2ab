import { z } from 'zod'
import { GradedProbe, ProbeGrade } from './catalog-grade.ts'
import { RegionStatusName } from '../check/check.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { Region } from '../reading/regions.ts'

// The seven keyless answers: S-1201 to S-1226.

const seconds = z.number().min(0)
const count = z.int().min(0)
const latencyMs = z.number().min(0).nullable()
const slug = z.string()

/** Maximum number of regions in an answer (S-1208). */
export const regionsReadMax = limits.regionsPerCheckMax
export const didYouMeanMax = 3
export const pastOutagesMax = 50

/** `stale`: the newest measurement is too old to answer from. */
export const Freshness = z.object({
  verdict: z.enum(['fresh', 'stale', 'no_data']),
  /** The age of the newest measurement; null without one. */
  ageSeconds: seconds.nullable(),
  staleAfterSeconds: seconds,
})
export type Freshness = z.infer<typeof Freshness>

/** The evidence in every answer, so that people can judge and cite it. */
export const Evidence = z.object({
  /** The regions whose fresh readings support the answer. */
  regionsRead: z.array(Region).max(regionsReadMax),
  measuredAt: Instant.nullable(),
  freshness: Freshness,
  /** `local` when every region is measured from one machine. */
  vantage: z.enum(['local', 'regional']),
})
export type Evidence = z.infer<typeof Evidence>

/** The probes that an answer lists. */
export type Asked = { probes: GradedProbe[]; probeCount: number }

/** Maximum number of listed probes in an answer about many services. */
export const probesNamedMax = 40

const common = {
  ...Evidence.shape,
  /**
   * The probes, with what a good response proves. When the list is cut, probes of the services in the answer come
   * first, then those with the lowest grade.
   */
  probes: z.array(GradedProbe).max(probesNamedMax).default([]),
  /** The number of all probes, listed or not. */
  probeCount: count.default(0),
  /** The page to cite. */
  url: z.string(),
  /** One sentence that can be quoted. */
  summary: z.string(),
}

export const ServiceStatus = z.enum([
  'up',
  'down',
  'down_in_some_regions',
  'blocked',
  'no_data',
  'not_covered',
])
export type ServiceStatus = z.infer<typeof ServiceStatus>

export const NamedService = z.object({ slug, name: z.string() })
export type NamedService = z.infer<typeof NamedService>

/** The measurement of a service in one region; `unknown` without a reading. */
export const RegionalReading = z.object({
  region: Region,
  status: RegionStatusName,
  reason: z.string().nullable(),
  latencyMs,
  measuredAt: Instant.nullable(),
  fresh: z.boolean(),
})
export type RegionalReading = z.infer<typeof RegionalReading>

/** What the good readings of all regions prove; null without a good reading. */
const shows = ProbeGrade.nullable().default(null)

const ofService = {
  /** null outside the catalog. */
  service: NamedService.nullable(),
  status: ServiceStatus,
  shows,
  /** Similar services for a service outside the catalog; never a guess at the answer. */
  didYouMean: z.array(slug).max(didYouMeanMax),
  ...common,
}
const regions = z.array(RegionalReading).max(regionsReadMax)

export const ServiceStatusAnswer = z.object({ ...ofService, regions })
export type ServiceStatusAnswer = z.infer<typeof ServiceStatusAnswer>

export const RegionalReadingsAnswer = z.object({ ...ofService, readings: regions })
export type RegionalReadingsAnswer = z.infer<typeof RegionalReadingsAnswer>

/** The region that a visitor selected, or `unknown`; never guessed. */
export const ReportRegion = z.union([Region, z.literal('unknown')])
export type ReportRegion = z.infer<typeof ReportRegion>

/** The number of user reports. Reports never decide the status of a service; only probes do. */
export const ReportVolume = z.object({
  last15Minutes: count,
  last60Minutes: count,
  /** The usual number of reports in 15 min at this hour of the week; null when not known yet. */
  usual15Minutes: z.number().min(0).nullable(),
  verdict: z.enum(['normal', 'unusual', 'no_data']),
  regions: z.array(z.object({ region: ReportRegion, last15Minutes: count, last60Minutes: count })),
})
export type ReportVolume = z.infer<typeof ReportVolume>

export const ReportVolumeAnswer = z.object({ ...ofService, reports: ReportVolume, regions })
export type ReportVolumeAnswer = z.infer<typeof ReportVolumeAnswer>

/** A visitor's report of a problem, optionally with a region. */
export const ReportInput = z.strictObject({ region: ReportRegion.default('unknown') })
export type ReportInput = z.infer<typeof ReportInput>

/** `counted` is false when the same address recently reported the same service. */
export const ReportReceipt = z.object({ counted: z.boolean(), ...ReportVolumeAnswer.shape })
export type ReportReceipt = z.infer<typeof ReportReceipt>

export const PastOutage = z.object({
  /** The time of the first failing reading. */
  startedAt: Instant,
  endedAt: Instant.nullable(),
  ongoing: z.boolean(),
  durationSeconds: seconds,
  regions: z.array(Region),
  /** The unmeasured time within the outage. The failing regions failed before and after it. */
  unmeasuredSeconds: seconds.default(0),
  /**
   * The time from our first failing reading to the vendor's post, negative when the vendor was first; null when
   * unknown.
   */
  aheadOfVendorSeconds: z.number().nullable(),
})
export type PastOutage = z.infer<typeof PastOutage>

export const RecentIncidentsAnswer = z.object({
  ...ofService,
  /** Newest first. */
  incidents: z.array(PastOutage).max(pastOutagesMax),
  regions,
})
export type RecentIncidentsAnswer = z.infer<typeof RecentIncidentsAnswer>

/** Worst first. */
export const plateLevels = ['down', 'down_in_some_regions', 'degraded', 'blocked', 'no_data', 'up'] as const
export const PlateLevel = z.enum(plateLevels)
export type PlateLevel = z.infer<typeof PlateLevel>

/** `unknown`: most of the catalog fails, but no known shared provider explains it. */
export const FactorKind = z.enum(['cdn', 'cloud_region', 'dns', 'unknown'])
export type FactorKind = z.infer<typeof FactorKind>

/** Infrastructure that services share. The kind `unknown` also has the name `unknown`. */
export const Factor = z.object({ kind: FactorKind, name: z.string() })
export type Factor = z.infer<typeof Factor>

/** The catalog, with the status of each service. */
export const CatalogAnswer = z.object({
  services: z.array(
    z.object({
      ...NamedService.shape,
      category: z.string(),
      domains: z.array(z.string()),
      level: PlateLevel,
      shows,
      measuredAt: Instant.nullable(),
      probes: z.array(GradedProbe).default([]),
      /** The shared infrastructure that it is known to use. */
      factors: z.array(Factor).default([]),
    }),
  ),
  stacks: z.array(
    z.object({
      ...NamedService.shape,
      description: z.string().default(''),
      /** Its services, by slug. */
      members: z.array(slug).default([]),
    }),
  ),
  ...common,
})
export type CatalogAnswer = z.infer<typeof CatalogAnswer>

/** The stacks of the catalog, with the evidence of all services. */
export const StacksAnswer = CatalogAnswer.omit({ services: true })
export type StacksAnswer = z.infer<typeof StacksAnswer>

export const StackAnswer = z.object({
  stack: z.object({ id: z.string(), slug, name: z.string() }),
  status: PlateLevel,
  services: z.array(
    z.object({
      ...NamedService.shape,
      level: PlateLevel,
      shows,
      measuredAt: Instant.nullable(),
      probes: z.array(GradedProbe).default([]),
    }),
  ),
  ...common,
})
export type StackAnswer = z.infer<typeof StackAnswer>

export const WeatherVerdict = z.enum(['normal', 'slower', 'no_data'])
export type WeatherVerdict = z.infer<typeof WeatherVerdict>

export const RegionWeather = z.object({
  region: Region,
  p50Ms: latencyMs,
  p75Ms: latencyMs,
  p95Ms: latencyMs,
  samples: count,
  /** The same hour on the last 7 days; null without enough data. */
  baseline: z
    .object({
      p50Ms: z.number(),
      p75Ms: z.number(),
      p95Ms: z.number(),
      samples: count,
      days: count,
    })
    .nullable(),
  /** The median over services of the current response time divided by the usual one. */
  ratio: z.number().min(0).nullable(),
  verdict: WeatherVerdict,
})
export type RegionWeather = z.infer<typeof RegionWeather>

export const WeatherAnswer = z.object({
  verdict: WeatherVerdict,
  regions: z.array(RegionWeather).max(regionsReadMax),
  ...common,
})
export type WeatherAnswer = z.infer<typeof WeatherAnswer>

/** The services whose outages are the evidence, with the start of each. */
const members = z.array(
  z.object({
    ...NamedService.shape,
    since: Instant,
    probes: z.array(GradedProbe).default([]),
  }),
)

/**
 * An outage of a provider that several services share, inferred from them. It is separate from the status of
 * each.
 */
export const SharedIncident = z.object({
  factor: Factor,
  members,
  /** Measured services with this factor, at the last evaluation. */
  measuredCount: count,
  /** The regions in which its services fail. */
  regions: z.array(Region),
  since: Instant,
  /**
   * The highest probability so far that this factor fails. It is calibrated: in simulated years of the catalog,
   * 9 of 10 incidents with 0.9 are true.
   */
  confidence: z.number().min(0).max(1),
})
export type SharedIncident = z.infer<typeof SharedIncident>

/** Services of one vendor that fail together, without a shared provider as the cause. */
export const VendorOutage = z.object({
  vendor: z.string(),
  members,
  /** Currently measured services of the vendor. */
  measuredCount: count,
  regions: z.array(Region),
  since: Instant,
})
export type VendorOutage = z.infer<typeof VendorOutage>

export const InternetAnswer = z.object({
  status: z.enum(['incident', 'none', 'no_data']),
  sharedIncident: SharedIncident.nullable(),
  /** The largest outage that no shared incident explains. It does not change the status. */
  vendorOutage: VendorOutage.nullable().default(null),
  ...common,
})
export type InternetAnswer = z.infer<typeof InternetAnswer>
