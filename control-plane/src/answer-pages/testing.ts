import type {
  CatalogAnswer,
  InternetAnswer,
  RecentIncidentsAnswer,
  ReportVolumeAnswer,
  ServiceStatusAnswer,
  StackAnswer,
  WeatherAnswer,
} from '@probe-mesh/contracts/answers'
import { describeService } from '../outage/describe-service.ts'
import { evidenceOf } from '../outage/evidence.ts'
import { describeOutage } from '../outage/past-outages.ts'
import { reportSummary, reportVolume } from '../outage/report-volume.ts'
import { rollUp } from '../outage/stack.ts'
import { at, heldAs, hourMs, minuteMs, readingOf, t0 } from '../outage/testing.ts'
import type { Seen } from '../outage/testing.ts'
import { overallWeather, regionWeather, weatherSummary } from '../outage/weather.ts'

/** Answers as the verbs give them, of a service with a name that a test chooses. */

const site = 'https://probe-mesh.example'
const evidence = evidenceOf({ fresh: ['fra', 'iad'], measuredAtMs: t0 - 12_000 }, at())

export const statusOf = (name: string, ...seen: Seen[]): ServiceStatusAnswer => ({
  ...describeService({ slug: 'acme', name }, heldAs(seen), null, at()),
  url: `${site}/services/acme`,
})

/** A service that is down in one region for a reason that its target wrote. */
export const failingFor = (name: string, reason: string): ServiceStatusAnswer => {
  const held = heldAs(['up', 'down', 'blocked', 'silent', 'old']).map((region) => ({
    ...region,
    readings: region.readings.map((reading) =>
      reading.verdict === 'down' ? readingOf('down', { reason }) : reading,
    ),
  }))
  return {
    ...describeService({ slug: 'acme', name }, held, null, at()),
    url: `${site}/services/acme`,
  }
}

export const reportsOf = (status: ServiceStatusAnswer): ReportVolumeAnswer => {
  const minutes = [
    { region: 'unknown' as const, atMs: t0 - 5 * minuteMs, count: 21 },
    { region: 'fra', atMs: t0 - 3 * minuteMs, count: 12 },
    { region: 'iad', atMs: t0 - 40 * minuteMs, count: 3 },
  ]
  const reports = reportVolume(minutes, Array.from({ length: 32 }).fill(2) as number[], t0)
  return { ...status, reports, summary: reportSummary(reports, status.summary) }
}

export const incidentsOf = (status: ServiceStatusAnswer): RecentIncidentsAnswer => ({
  ...status,
  incidents: [
    { startMs: t0 - 8 * minuteMs, endMs: null, regions: ['fra'], readings: 8 },
    {
      startMs: t0 - 50 * hourMs,
      endMs: t0 - 47.5 * hourMs,
      regions: ['fra', 'iad', 'nrt', 'sjc'],
      readings: 600,
    },
  ].map((outage, index) => describeOutage(outage, index === 1 ? [t0 - 49.7 * hourMs] : [], t0)),
})

export const catalogOf = (name: string): CatalogAnswer => ({
  services: [
    ['acme', name, 'work', 'up'],
    ['beta', 'Beta', 'work', 'down'],
    ['ci', 'Builds', 'ci', 'degraded'],
    ['gate', 'Gate', 'auth', 'blocked'],
    ['new', 'New', 'ai', 'no_data'],
  ].map(([slug = '', name = '', category = '', level]) => ({
    slug,
    name,
    category,
    domains: [`${slug}.example`],
    level: level as CatalogAnswer['services'][number]['level'],
    measuredAt: level === 'no_data' ? null : '2026-11-20T11:59:48.000Z',
  })),
  stacks: [{ slug: 'shop', name }],
  ...evidence,
  url: `${site}/services`,
  summary: `2 of 5 services down or degraded, 1 with no data, 1 blocked`,
})

export const stackOf = (name: string): StackAnswer => {
  const services = catalogOf(name).services.map(({ slug, name, level, measuredAt }) => ({
    slug,
    name,
    level,
    measuredAt,
  }))
  return {
    stack: { id: '4fa81b7a-36f7-5099-b2bf-5491dd2af753', slug: 'shop', name },
    services,
    ...rollUp(services.map(({ level }) => level)),
    ...evidence,
    url: `${site}/stacks/shop`,
  }
}

export const weatherOf = (): WeatherAnswer => {
  const usual = { p50Ms: 118.4, p75Ms: 190, p95Ms: 610, samples: 16_500 }
  const regions = ['fra', 'iad', 'nrt', 'sjc'].map((region, index) =>
    regionWeather({
      region,
      now:
        index === 2
          ? null
          : {
              p50Ms: index === 1 ? 240 : 121,
              p75Ms: index === 1 ? 402.6 : 188,
              p95Ms: 990,
              samples: 2_750,
            },
      days: Array.from({ length: 7 }, () => usual),
      quarantined: false,
    }),
  )
  return {
    verdict: overallWeather(regions),
    regions,
    ...evidence,
    url: `${site}/weather`,
    summary: weatherSummary(regions, evidence),
  }
}

export const internetOf = (name: string): InternetAnswer => ({
  status: 'incident',
  sharedIncident: {
    factor: { kind: 'cdn', name },
    members: ['acme', 'beta', 'ci'].map((slug) => ({
      slug,
      name: slug === 'acme' ? name : slug,
      since: '2026-11-20T11:52:00.000Z',
    })),
    measuredCount: 14,
    regions: ['fra', 'iad'],
    since: '2026-11-20T11:52:00.000Z',
    confidence: 0.99997,
  },
  ...evidence,
  url: `${site}/internet`,
  summary: `An outage shared by services on the CDN ${name} seems to be under way.`,
})
