import type {
  CatalogAnswer,
  Asked,
  Evidence,
  PlateLevel,
  StackAnswer,
} from '@probe-mesh/contracts/outage/answers'
import type {
  ServiceHistory,
  ServicePageAnswer,
  ServiceStep,
} from '@probe-mesh/contracts/outage/service-page'

const site = 'https://probe-mesh.example'
const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const dayMs = 86_400_000
const instant = (ms: number): string => new Date(ms).toISOString()

const evidence: Evidence & Asked = {
  probes: [
    { url: 'https://api.acme.example/v1', grade: 'works' },
    { url: 'https://acme.example/robots.txt', grade: 'edge' },
  ],
  probeCount: 2,
  regionsRead: ['fra', 'iad'],
  measuredAt: '2026-11-20T11:59:50.000Z',
  freshness: { verdict: 'fresh', ageSeconds: 10, staleAfterSeconds: 180 },
  vantage: 'local',
}

const silence = { p50Ms: null, p95Ms: null, up: 0, down: 0, blocked: 0, unmeasured: 0 }

/** A history with the given steps and days; the others have no data. */
export const historyOf = (
  steps: Readonly<Record<number, Partial<ServiceStep>>> = {},
  days: Readonly<Record<number, number>> = {},
): ServiceHistory => ({
  asOf: instant(t0),
  from: instant(t0 - dayMs),
  to: instant(t0),
  stepSeconds: 900,
  steps: Array.from({ length: 96 }, (_, index) => ({
    at: instant(t0 - dayMs + index * 900_000),
    ...silence,
    ...steps[index],
  })),
  days: Array.from({ length: 90 }, (_, index) => ({
    date: instant(t0 - (89 - index) * dayMs).slice(0, 10),
    upShare: days[index] ?? null,
    measuredSeconds: index in days ? 86_400 : 0,
    unmeasuredSeconds: index in days ? 0 : 86_400,
  })),
  upShare: Object.keys(days).length === 0 ? null : 0.5,
})

/** A service that is up in fra and down in iad. @param text used for every text from outside */
export const servicePageOf = (text: string, more: Partial<ServicePageAnswer> = {}): ServicePageAnswer => ({
  service: { slug: 'acme', name: text },
  status: 'down_in_some_regions',
  shows: 'works',
  didYouMean: [],
  ...evidence,
  url: `${site}/services/acme`,
  summary: `${text} is down in 1 of 2 regions.`,
  regions: [
    {
      region: 'fra',
      status: 'up',
      reason: null,
      latencyMs: 20,
      measuredAt: '2026-11-20T11:59:50.000Z',
      fresh: true,
    },
    {
      region: 'iad',
      status: 'down',
      reason: text,
      latencyMs: 20,
      measuredAt: '2026-11-20T11:59:50.000Z',
      fresh: true,
    },
    {
      region: 'nrt',
      status: 'unknown',
      reason: 'no reading yet',
      latencyMs: null,
      measuredAt: null,
      fresh: false,
    },
    {
      region: 'sjc',
      status: 'stale',
      reason: 'no recent reading',
      latencyMs: 20,
      measuredAt: '2026-11-20T11:00:00.000Z',
      fresh: false,
    },
  ],
  category: 'work',
  vendorStatusUrl: 'https://status.example/?a="b"',
  reports: {
    last15Minutes: 33,
    last60Minutes: 36,
    usual15Minutes: 2,
    verdict: 'unusual',
    regions: [
      { region: 'unknown', last15Minutes: 21, last60Minutes: 21 },
      { region: 'fra', last15Minutes: 12, last60Minutes: 15 },
    ],
  },
  reportSummary: `33 people report problems with ${text}.`,
  reportRegions: ['iad', 'sjc', 'fra', 'nrt'],
  incidents: [
    {
      startedAt: '2026-11-20T11:52:00.000Z',
      endedAt: null,
      ongoing: true,
      durationSeconds: 480,
      regions: ['fra'],
      unmeasuredSeconds: 0,
      aheadOfVendorSeconds: null,
    },
    {
      startedAt: '2026-11-18T10:00:00.000Z',
      endedAt: '2026-11-18T12:30:00.000Z',
      ongoing: false,
      durationSeconds: 9_000,
      regions: ['fra', 'iad'],
      unmeasuredSeconds: 0,
      aheadOfVendorSeconds: 1_080,
    },
  ],
  history: historyOf(
    { 3: { p50Ms: 12, p95Ms: 30, up: 4 }, 9: { down: 1, up: 1, p50Ms: 80, p95Ms: 90 } },
    { 88: 1, 89: 0.25 },
  ),
  ...more,
})

const levels: readonly PlateLevel[] = ['up', 'down', 'degraded', 'blocked', 'no_data']

/** @param text the name of the first service and of a stack */
export const catalogOf = (text: string): CatalogAnswer => ({
  services: ['acme', 'beta', 'ci', 'gate', 'new'].map((slug, index) => ({
    slug,
    name: index === 0 ? text : slug,
    category: index === 2 ? 'ci' : 'work',
    domains: [`${slug}.example`],
    level: levels[index] ?? 'no_data',
    shows: index === 0 ? 'works' : null,
    probes: evidence.probes,
    factors: [],
    measuredAt: slug === 'new' ? null : '2026-11-20T11:59:48.000Z',
  })),
  stacks: [{ slug: 'shop', name: text, description: text, members: ['acme', 'beta'] }],
  ...evidence,
  url: `${site}/services`,
  summary: '2 of 5 services down or degraded, 1 with no data, 1 blocked.',
})

export const stackOf = (text: string): StackAnswer => ({
  stack: { id: '4fa81b7a-36f7-5099-b2bf-5491dd2af753', slug: 'shop', name: text },
  status: 'down',
  services: catalogOf(text).services.map(({ slug, name, level, shows, measuredAt, probes }) => ({
    slug,
    name,
    level,
    shows,
    measuredAt,
    probes,
  })),
  ...evidence,
  url: `${site}/stacks/shop`,
  summary: '2 of 5 services down or degraded, 1 with no data, 1 blocked',
})
