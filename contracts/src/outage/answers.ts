import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { GradedProbe, ProbeGrade } from './catalog-grade.ts'
import { RegionStatusName, Vantage } from '../check/check.ts'
import { Instant } from '../schema/text.ts'
import { limits } from '../schema/limits.ts'
import { Region } from '../reading/regions.ts'

// The keyless answers about services (S-1201 to S-1226); those about the whole internet are in `internet.ts`.

const seconds = z.number().min(0)
export const count = z.int().min(0)
export const latencyMs = z.number().min(0).nullable()
const slug = z.string()
export const probes = field(z.array(GradedProbe).default([]), 'Probes.')

/** Maximum number of regions in an answer (S-1208). */
export const regionsReadMax = limits.regionsPerCheckMax
export const didYouMeanMax = 3
export const pastOutagesMax = 50

const Freshness = z.object({
  verdict: field(z.enum(['fresh', 'stale', 'no_data']), '`stale`: too old to count.', 'fresh'),
  ageSeconds: field(seconds.nullable(), 'Age of the newest reading.', 12),
  staleAfterSeconds: field(seconds, 'Age from which none counts.', 145),
})
components.add(Freshness, { id: 'Freshness' })

/** The evidence in every answer, so that people can judge and cite it. */
export const Evidence = z.object({
  regionsRead: field(z.array(Region).max(regionsReadMax), 'With fresh readings.', [
    'fra',
    'iad',
    'nrt',
    'sjc',
  ]),
  measuredAt: field(Instant.nullable(), 'Newest reading that counts.'),
  freshness: field(Freshness, 'Age of the evidence.'),
  vantage: Vantage,
})
export type Evidence = z.infer<typeof Evidence>

/** The probes that an answer lists. */
export type Asked = { probes: GradedProbe[]; probeCount: number }

/** Maximum number of listed probes in an answer about many services. */
export const probesNamedMax = 40

export const common = {
  ...Evidence.shape,
  // when the list is cut, probes of the services in the answer come first, then those with the lowest grade
  probes: field(z.array(GradedProbe).max(probesNamedMax).default([]), 'Probes.'),
  probeCount: field(count.default(0), 'All probes.', 2),
  url: field(z.string(), 'Page to cite.', 'https://status.example.com/services/github'),
  summary: field(z.string(), 'Sentence to quote.', 'GitHub is up in 4 of 4 regions.'),
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

export const NamedService = z.object({
  slug: field(slug, 'Short name.', 'github'),
  name: field(z.string(), 'Name.', 'GitHub'),
})
export type NamedService = z.infer<typeof NamedService>
components.add(NamedService, { id: 'NamedService' })

/** The measurement of a service in one region; `unknown` without a reading. */
export const RegionalReading = z.object({
  region: Region,
  status: field(RegionStatusName, '`unknown` without a reading.', 'up'),
  reason: field(z.string().nullable(), 'Why it is not up.', null),
  latencyMs: field(latencyMs, 'Duration.', 84.2),
  measuredAt: field(Instant.nullable(), 'Newest reading that counts.'),
  fresh: field(z.boolean(), 'Whether it still counts.', true),
})
export type RegionalReading = z.infer<typeof RegionalReading>
components.add(RegionalReading, { id: 'RegionalReading' })

const shows = field(
  ProbeGrade.nullable().default(null),
  'What it proves: `edge` < `answers` < `works`, or null.',
  'answers',
)

const ofService = {
  service: field(NamedService.nullable(), 'null if not covered.'),
  status: field(ServiceStatus, 'By probes alone. `blocked` is never down.', 'up'),
  shows,
  didYouMean: field(z.array(slug).max(didYouMeanMax), 'Similar names if not covered.', []),
  ...common,
}
const regions = field(z.array(RegionalReading).max(regionsReadMax), 'Newest readings.')

export const ServiceStatusAnswer = z.object({ ...ofService, regions })
export type ServiceStatusAnswer = z.infer<typeof ServiceStatusAnswer>
components.add(ServiceStatusAnswer, { id: 'ServiceStatusAnswer' })

export const RegionalReadingsAnswer = z.object({ ...ofService, readings: regions })
export type RegionalReadingsAnswer = z.infer<typeof RegionalReadingsAnswer>
components.add(RegionalReadingsAnswer, { id: 'RegionalReadingsAnswer' })

/** The region that a visitor selected, or `unknown`; never guessed. */
export const ReportRegion = z.union([Region, z.literal('unknown')])
export type ReportRegion = z.infer<typeof ReportRegion>

/** The number of user reports. Reports never decide the status of a service; only probes do. */
export const ReportVolume = z.object({
  last15Minutes: field(count, 'Reports in the last 15 minutes.', 3),
  last60Minutes: field(count, 'Reports in the last hour.', 7),
  usual15Minutes: field(
    z.number().min(0).nullable(),
    'Usual number at this hour of the week. null: not known yet.',
    2.4,
  ),
  verdict: field(z.enum(['normal', 'unusual', 'no_data']), 'Whether the number is unusual.', 'normal'),
  regions: field(
    z.array(
      z.object({
        region: field(ReportRegion, 'Region that the reporter selected.', 'fra'),
        last15Minutes: field(count, 'Reports in the last 15 minutes.', 3),
        last60Minutes: field(count, 'Reports in the last hour.', 7),
      }),
    ),
    'Reports by region.',
  ),
})
export type ReportVolume = z.infer<typeof ReportVolume>
components.add(ReportVolume, { id: 'ReportVolume' })

export const ReportVolumeAnswer = z.object({
  ...ofService,
  reports: field(ReportVolume, 'Number of user reports.'),
  regions,
})
export type ReportVolumeAnswer = z.infer<typeof ReportVolumeAnswer>
components.add(ReportVolumeAnswer, { id: 'ReportVolumeAnswer' })

/** A visitor's report of a problem, optionally with a region. */
export const ReportInput = z.strictObject({
  region: field(ReportRegion.default('unknown'), 'Where the problem was seen.', 'fra'),
})
export type ReportInput = z.infer<typeof ReportInput>

export const ReportReceipt = z.object({
  counted: field(z.boolean(), 'false: this address reported the same service recently.', true),
  ...ReportVolumeAnswer.shape,
})
export type ReportReceipt = z.infer<typeof ReportReceipt>
components.add(ReportReceipt, { id: 'ReportReceipt' })

export const PastOutage = z.object({
  startedAt: field(Instant, 'First failing reading.'),
  endedAt: field(Instant.nullable(), 'End of the outage. null while it lasts.'),
  ongoing: field(z.boolean(), 'Whether it still lasts.', false),
  durationSeconds: field(seconds, 'Length of the outage.', 1260),
  regions: field(z.array(Region), 'Regions that failed.', ['fra', 'iad']),
  unmeasuredSeconds: field(seconds.default(0), 'Time within the outage that was not measured.', 0),
  aheadOfVendorSeconds: field(
    z.number().nullable(),
    "Seconds before the vendor's post. Negative: after it. null: unknown.",
    480,
  ),
})
export type PastOutage = z.infer<typeof PastOutage>
components.add(PastOutage, { id: 'PastOutage' })

export const RecentIncidentsAnswer = z.object({
  ...ofService,
  incidents: field(z.array(PastOutage).max(pastOutagesMax), 'Incidents, newest first.'),
  regions,
})
export type RecentIncidentsAnswer = z.infer<typeof RecentIncidentsAnswer>
components.add(RecentIncidentsAnswer, { id: 'RecentIncidentsAnswer' })

/** Worst first. */
export const plateLevels = ['down', 'down_in_some_regions', 'degraded', 'blocked', 'no_data', 'up'] as const
export const PlateLevel = z.enum(plateLevels)
export type PlateLevel = z.infer<typeof PlateLevel>

/** `unknown`: most of the catalog fails, but no known shared provider explains it. */
export const FactorKind = z.enum(['cdn', 'cloud_region', 'dns', 'unknown'])
export type FactorKind = z.infer<typeof FactorKind>

/** Infrastructure that services share. The kind `unknown` also has the name `unknown`. */
export const Factor = z.object({
  kind: field(FactorKind, 'Kind of provider. `unknown`: none explains it.', 'cdn'),
  name: field(z.string(), 'Name of the provider.', 'cloudflare'),
})
export type Factor = z.infer<typeof Factor>

const namedStack = {
  slug: field(slug, 'Short name of the stack, as in its address.', 'web-shop'),
  name: field(z.string(), 'Name of the stack.', 'Web shop'),
}

/** The catalog, with the status of each service. */
export const CatalogAnswer = z.object({
  services: field(
    z.array(
      z.object({
        ...NamedService.shape,
        category: field(z.string(), 'Category of the service.', 'code_hosting'),
        domains: field(z.array(z.string()), 'Domains of the service.', ['github.com']),
        level: field(PlateLevel, 'Level of the service, worst first.', 'up'),
        shows,
        measuredAt: field(Instant.nullable(), 'Newest reading.'),
        probes,
        factors: field(z.array(Factor).default([]), 'Shared infrastructure that it is known to use.'),
      }),
    ),
    'Services, with their status.',
  ),
  stacks: field(
    z.array(
      z.object({
        ...namedStack,
        description: field(z.string().default(''), 'Text for visitors.', 'The shop and its API.'),
        members: field(z.array(slug).default([]), 'Services of the stack, by slug.'),
      }),
    ),
    'Stacks of services.',
  ),
  ...common,
})
export type CatalogAnswer = z.infer<typeof CatalogAnswer>
components.add(CatalogAnswer, { id: 'CatalogAnswer' })

/** The stacks of the catalog, with the evidence of all services. */
export const StacksAnswer = CatalogAnswer.omit({ services: true }).register(components, {
  id: 'StacksAnswer',
})
export type StacksAnswer = z.infer<typeof StacksAnswer>
components.add(StacksAnswer, { id: 'StacksAnswer' })

export const StackAnswer = z.object({
  stack: field(
    z.object({
      id: field(z.string(), 'Id of the stack.', 'web-shop'),
      ...namedStack,
    }),
    'Stack of the answer.',
  ),
  status: field(PlateLevel, 'Worst level of its services.', 'up'),
  services: field(
    z.array(
      z.object({
        ...NamedService.shape,
        level: field(PlateLevel, 'Level of the service, worst first.', 'up'),
        shows,
        measuredAt: field(Instant.nullable(), 'Newest reading.'),
        probes,
      }),
    ),
    'Services of the stack, with their status.',
  ),
  ...common,
})
export type StackAnswer = z.infer<typeof StackAnswer>
components.add(StackAnswer, { id: 'StackAnswer' })
