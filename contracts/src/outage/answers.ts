import { z } from 'zod'
import { GradedProbe, ProbeGrade } from './catalog-grade.ts'
import { RegionStatusName } from '../check/check.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { Region } from '../reading/regions.ts'

/** What the seven keyless answers say: S-1201 to S-1226. */

const seconds = z.number().min(0)
const count = z.int().min(0)
const latencyMs = z.number().min(0).nullable()
const slug = z.string()

/** The most regions that an answer reads (S-1208). */
export const regionsReadMax = limits.regionsPerCheckMax
export const didYouMeanMax = 3
export const pastOutagesMax = 50

/** `stale`: there is a measurement, and none that is recent enough to answer from. */
export const Freshness = z.object({
  verdict: z.enum(['fresh', 'stale', 'no_data']),
  /** Of the newest measurement; null where there is none. */
  ageSeconds: seconds.nullable(),
  staleAfterSeconds: seconds,
})
export type Freshness = z.infer<typeof Freshness>

/** What every answer carries, so that it can be judged and cited. */
export const Evidence = z.object({
  /** The regions whose fresh readings the answer stands on. */
  regionsRead: z.array(Region).max(regionsReadMax),
  measuredAt: Instant.nullable(),
  freshness: Freshness,
  /** `local` when every region is measured from one machine. */
  vantage: z.enum(['local', 'regional']),
})
export type Evidence = z.infer<typeof Evidence>

/** What was asked, as every answer names it. */
export type Asked = { probes: GradedProbe[]; probeCount: number }

/** Probes that an answer about many services names at most. */
export const probesNamedMax = 40

const said = {
  ...Evidence.shape,
  /**
   * What was asked, and what a good answer of it shows. Of more than are named, those of services
   * that the answer names come first, then those that show least.
   */
  probes: z.array(GradedProbe).max(probesNamedMax).default([]),
  /** How many there are, named or not. */
  probeCount: count.default(0),
  /** The page to cite. */
  url: z.string(),
  /** One sentence that can be repeated as it stands. */
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

/** What one region has measured of a service; `unknown` where nothing is held. */
export const RegionalReading = z.object({
  region: Region,
  status: RegionStatusName,
  reason: z.string().nullable(),
  latencyMs,
  measuredAt: Instant.nullable(),
  fresh: z.boolean(),
})
export type RegionalReading = z.infer<typeof RegionalReading>

/** What the good readings show, in every region that has one; null where none is good. */
const shows = ProbeGrade.nullable().default(null)

const ofService = {
  /** null outside the catalog. */
  service: NamedService.nullable(),
  status: ServiceStatus,
  shows,
  /** Of the catalog, where the service is not; never a guess. */
  didYouMean: z.array(slug).max(didYouMeanMax),
  ...said,
}
const regions = z.array(RegionalReading).max(regionsReadMax)

export const ServiceStatusAnswer = z.object({ ...ofService, regions })
export type ServiceStatusAnswer = z.infer<typeof ServiceStatusAnswer>

export const RegionalReadingsAnswer = z.object({ ...ofService, readings: regions })
export type RegionalReadingsAnswer = z.infer<typeof RegionalReadingsAnswer>

/** The region that a visitor named, or `unknown`: never guessed. */
export const ReportRegion = z.union([Region, z.literal('unknown')])
export type ReportRegion = z.infer<typeof ReportRegion>

/** How many people report a problem. It says nothing of the service: only probes do. */
export const ReportVolume = z.object({
  last15Minutes: count,
  last60Minutes: count,
  /** Reports in a quarter of an hour at this hour of the week; null where that is not known yet. */
  usual15Minutes: z.number().min(0).nullable(),
  verdict: z.enum(['normal', 'unusual', 'no_data']),
  regions: z.array(z.object({ region: ReportRegion, last15Minutes: count, last60Minutes: count })),
})
export type ReportVolume = z.infer<typeof ReportVolume>

export const ReportVolumeAnswer = z.object({ ...ofService, reports: ReportVolume, regions })
export type ReportVolumeAnswer = z.infer<typeof ReportVolumeAnswer>

/** What a visitor says: that a service has a problem, and where from if they like. */
export const ReportInput = z.strictObject({ region: ReportRegion.default('unknown') })
export type ReportInput = z.infer<typeof ReportInput>

/** `counted` is false where the same address reported the same service a moment ago. */
export const ReportReceipt = z.object({ counted: z.boolean(), ...ReportVolumeAnswer.shape })
export type ReportReceipt = z.infer<typeof ReportReceipt>

export const PastOutage = z.object({
  /** When the first failing reading was made. */
  startedAt: Instant,
  endedAt: Instant.nullable(),
  ongoing: z.boolean(),
  durationSeconds: seconds,
  regions: z.array(Region),
  /** How much of it nothing was measured in where it failed: it failed before and after. */
  unmeasuredSeconds: seconds.default(0),
  /**
   * How long after our first failing reading the vendor posted, negative where it was first; null
   * where not known.
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
export const plateLevels = [
  'down',
  'down_in_some_regions',
  'degraded',
  'blocked',
  'no_data',
  'up',
] as const
export const PlateLevel = z.enum(plateLevels)
export type PlateLevel = z.infer<typeof PlateLevel>

/** The catalog, with how each service stands. */
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
    }),
  ),
  stacks: z.array(NamedService),
  ...said,
})
export type CatalogAnswer = z.infer<typeof CatalogAnswer>

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
  ...said,
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
  /** The same hour on the last seven days; null while there is too little of it. */
  baseline: z
    .object({
      p50Ms: z.number(),
      p75Ms: z.number(),
      p95Ms: z.number(),
      samples: count,
      days: count,
    })
    .nullable(),
  /** The median over its services of each one's response time now over its own usual one. */
  ratio: z.number().min(0).nullable(),
  verdict: WeatherVerdict,
})
export type RegionWeather = z.infer<typeof RegionWeather>

export const WeatherAnswer = z.object({
  verdict: WeatherVerdict,
  regions: z.array(RegionWeather).max(regionsReadMax),
  ...said,
})
export type WeatherAnswer = z.infer<typeof WeatherAnswer>

/** `unknown`: most of the catalog fails, and nothing that its services share explains it. */
export const FactorKind = z.enum(['cdn', 'cloud_region', 'dns', 'unknown'])
export type FactorKind = z.infer<typeof FactorKind>

/** Services whose outages are the evidence, and when each began. */
const members = z.array(
  z.object({
    ...NamedService.shape,
    since: Instant,
    probes: z.array(GradedProbe).default([]),
  }),
)

/**
 * An outage of what several services stand on, inferred from them; distinct from the status of any.
 */
export const SharedIncident = z.object({
  /** Of the kind `unknown` the name is `unknown` too. */
  factor: z.object({ kind: FactorKind, name: z.string() }),
  members,
  /** Services with this factor that were measured, when it was last evaluated. */
  measuredCount: count,
  /** Where its services fail; one region where they fail in no other. */
  regions: z.array(Region),
  since: Instant,
  /**
   * How likely it is that this factor fails, at the clearest moment: of the incidents that are said
   * with 0.9 in simulated years of the catalog, nine of ten are true.
   */
  confidence: z.number().min(0).max(1),
})
export type SharedIncident = z.infer<typeof SharedIncident>

/** Services of one vendor that fail together: a fault of its own, and of nothing shared. */
export const VendorOutage = z.object({
  vendor: z.string(),
  members,
  /** Services of the vendor that are measured now. */
  measuredCount: count,
  regions: z.array(Region),
  since: Instant,
})
export type VendorOutage = z.infer<typeof VendorOutage>

export const InternetAnswer = z.object({
  status: z.enum(['incident', 'none', 'no_data']),
  sharedIncident: SharedIncident.nullable(),
  /** The largest that no shared incident explains; it does not change the status. */
  vendorOutage: VendorOutage.nullable().default(null),
  ...said,
})
export type InternetAnswer = z.infer<typeof InternetAnswer>
