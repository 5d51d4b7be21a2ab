import type { CatalogAnswer, Asked, Evidence, PlateLevel } from '@probe-mesh/contracts/outage/answers'
import type { InternetAnswer, RegionWeather, WeatherAnswer } from '@probe-mesh/contracts/outage/internet'

/** Answers of the API, with values chosen by a test. */

const site = 'https://probe-mesh.example'

const evidence: Evidence & Asked = {
  probes: [
    { url: 'https://api.acme.example/v1', grade: 'works' },
    { url: 'https://acme.example/robots.txt', grade: 'edge' },
  ],
  probeCount: 302,
  regionsRead: ['fra', 'iad'],
  measuredAt: '2026-11-20T11:59:48.000Z',
  freshness: { verdict: 'fresh', ageSeconds: 12, staleAfterSeconds: 180 },
  vantage: 'local',
}

export const regionOf = (more: Partial<RegionWeather> = {}): RegionWeather => ({
  region: 'fra',
  p50Ms: 121,
  p75Ms: 188,
  p95Ms: 990,
  samples: 2_750,
  baseline: { p50Ms: 118.4, p75Ms: 190, p95Ms: 610, samples: 115_500, days: 7 },
  ratio: 1.02,
  verdict: 'normal',
  ...more,
})

/** One region of each kind. */
export const regionsOfEachKind: readonly RegionWeather[] = [
  regionOf(),
  regionOf({ region: 'iad', p50Ms: 240, p75Ms: 402.6, ratio: 2.03, verdict: 'slower' }),
  regionOf({
    region: 'nrt',
    p50Ms: null,
    p75Ms: null,
    p95Ms: null,
    samples: 0,
    ratio: null,
    verdict: 'no_data',
  }),
  regionOf({ region: 'sjc', baseline: null, ratio: null, verdict: 'no_data' }),
]

export const weatherOf = (more: Partial<WeatherAnswer> = {}): WeatherAnswer => ({
  verdict: 'normal',
  regions: [...regionsOfEachKind],
  ...evidence,
  url: `${site}/weather`,
  summary: 'Response times are slower than usual for this hour in 1 of 2 regions (iad 2.03x).',
  ...more,
})

export const internetOf = (name: string, confidence = 0.99997): InternetAnswer => ({
  status: 'incident',
  sharedIncident: {
    factor: { kind: 'cdn', name },
    members: ['acme', 'beta', 'ci'].map((slug) => ({
      slug,
      name: slug === 'acme' ? name : slug,
      since: '2026-11-20T11:52:00.000Z',
      probes: [{ url: `https://${slug}.example/`, grade: 'answers' }],
    })),
    measuredCount: 14,
    regions: ['fra', 'iad'],
    since: '2026-11-20T11:52:00.000Z',
    confidence,
  },
  vendorOutage: {
    vendor: name,
    members: ['delta', 'echo'].map((slug) => ({
      slug,
      name: slug === 'delta' ? name : slug,
      since: '2026-11-20T11:50:00.000Z',
      probes: [{ url: `https://${slug}.example/`, grade: 'answers' }],
    })),
    measuredCount: 3,
    regions: ['fra', 'iad'],
    since: '2026-11-20T11:50:00.000Z',
  },
  ...evidence,
  url: `${site}/internet`,
  summary: `A shared outage of services on the CDN ${name} seems to be under way.`,
})

/** A catalog with one service for each level. */
export const catalogOf = (levels: readonly PlateLevel[], name = 'Acme'): CatalogAnswer => ({
  services: levels.map((level, index) => ({
    slug: `acme-${index}`,
    name: `${name} ${index}`,
    category: 'work',
    domains: [],
    level,
    shows: level === 'up' ? 'answers' : null,
    probes: evidence.probes,
    factors: [],
    measuredAt: level === 'no_data' ? null : '2026-11-20T11:59:48.000Z',
  })),
  stacks: [],
  ...evidence,
  url: `${site}/services`,
  summary: `${levels.length} services, of which ${name} is one.`,
})
