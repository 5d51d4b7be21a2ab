import { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { regionsDefault, type Region } from '@probe-mesh/contracts/reading/regions'
import { indexCatalog, type CatalogIndex } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import type { Observed } from '../observed.ts'
import type { RegionLatency } from '../plate.ts'
import { failureModeOf } from '../failure-mode.ts'
import { listedFactors, healthOf, type ObservedService } from '../shared-factors.ts'
import { describeServiceHistory } from '../observe/service-history.ts'
import { viewRegions, type RegionReadings, type ProbeReading } from '../region-reading.ts'
import { newSharedState, type SharedState } from '../shared-incident.ts'
import type { MeasuredRegion } from '../weather.ts'
import type { UserReports } from '../unusual-reports.ts'
import type { AnswersContext } from './context.ts'

/** Four services and a stack of three of them. */
export const smallCatalog: CatalogIndex = indexCatalog(
  Catalog.parse({
    services: [
      service('acme-cdn', { name: 'Acme CDN', domains: ['acme.example'], cdn: 'acme' }),
      service('github', {
        name: 'GitHub',
        aliases: ['gh'],
        domains: ['github.com'],
        probes: [
          {
            url: 'https://api.github.com/zen',
            name: null,
            expect: {},
            documented: {
              source: 'https://docs.github.com/en/rest/meta/meta',
              bodyOp: 'contains',
              bodyValue: '.',
              example: 'Design for failure.',
              verified: '2026-11-20',
            },
          },
        ],
        category: 'code_hosting',
      }),
      service('npm', { name: 'npm', domains: ['npmjs.com'], category: 'registry', cdn: 'acme' }),
      service('stripe', { name: 'Stripe', domains: ['stripe.com'], category: 'payments' }),
    ],
    stacks: [
      {
        id: '5d1a3d3c-0b60-5f5b-9d5e-3f5a5a1f0001',
        slug: 'web-shop',
        name: 'Web shop',
        description: 'What a shop needs.',
        members: ['github', 'npm', 'stripe'],
      },
    ],
  }),
)

/** Observed data that a test sets. Each change of a service raises its version. */
type TestObserved = Observed & {
  /** Sets the readings of a service, by region. */
  setRegions(slug: string, regions: readonly RegionReadings[]): void
  /** Sets the newest reading of each region. A region that is left out has no reading. */
  setReadings(slug: string, readings: Readonly<Record<Region, TestReading>>): void
  setLatencies(slug: string, latencies: readonly RegionLatency[]): void
  setWeather(weather: readonly MeasuredRegion[]): void
  setShared(shared: SharedState): void
}

/** A verdict of now, or fields of a reading. */
export type TestReading = ProbeReading['verdict'] | Partial<ProbeReading>

/**
 * In memory, without readings until a test sets them. The health of a service follows from its readings;
 * outages begin now.
 */
export const observedOf = (
  options: {
    catalog?: CatalogIndex
    regions?: readonly Region[]
    now?: () => number
    staleAfterMs?: number
  } = {},
): TestObserved => {
  const { catalog = smallCatalog, regions = regionsDefault, now = Date.now } = options
  const staleAfterMs = options.staleAfterMs ?? staleAfterMsOfTests
  const empty = regions.map((region): RegionReadings => ({ region, readings: [], quarantined: false }))
  const stored = new Map<string, readonly RegionReadings[]>()
  const latencies = new Map<string, readonly RegionLatency[]>()
  const versions = new Map<string, number>()
  let weather = regions.map((region): MeasuredRegion => ({
    region,
    now: null,
    days: [],
    responseRatio: null,
    dayRatios: [],
    quarantined: false,
  }))
  let shared = newSharedState
  const change = (slug: string): void => {
    versions.set(slug, (versions.get(slug) ?? 0) + 1)
  }
  const setRegions = (slug: string, readings: readonly RegionReadings[]): void => {
    stored.set(slug, readings)
    change(slug)
  }
  const regionsOf = (slug: string): readonly RegionReadings[] => stored.get(slug) ?? empty

  const observe = (one: (typeof catalog.catalog.services)[number]): ObservedService => {
    const options = { nowMs: now(), staleAfterMs, vantage: 'local' } as const
    const views = viewRegions(regionsOf(one.slug), options)
    const health = healthOf(views)
    const down = views.filter((view) => view.fresh && view.status === 'down')
    return {
      slug: one.slug,
      name: one.name,
      vendor: one.vendor,
      failures: down.map(({ region, reading }) => ({
        region,
        sinceMs: reading?.measuredAt ?? now(),
        mode: failureModeOf(reading?.cause),
        mark: reading?.mark ?? null,
      })),
      upIn: views.flatMap(({ fresh, status, region }) => (fresh && status === 'up' ? [region] : [])),
      factors: listedFactors(one),
      health,
      regions: down.map(({ region }) => region),
      sinceMs: health === 'failing' ? now() : null,
    }
  }

  return {
    regionsOf,
    latenciesOf: (slug) => latencies.get(slug) ?? [],
    weather: () => weather,
    services: () => catalog.catalog.services.map(observe),
    shared: () => shared,
    healthOf: (slug) => {
      const service = catalog.bySlug.get(slug)
      const { failures, upIn } = service === undefined ? unknownService : observe(service)
      return { failures, upIn, goodAtMs: null, failedAtMs: null }
    },
    versionOf: (slug) => versions.get(slug) ?? 0,
    setRegions,
    setReadings: (slug, readings) =>
      setRegions(
        slug,
        empty.map(({ region }) => {
          const own = readings[region]
          return {
            region,
            readings: own === undefined ? [] : [readingOf(own, now())],
            quarantined: false,
          }
        }),
      ),
    setLatencies: (slug, all) => {
      latencies.set(slug, all)
      change(slug)
    },
    setWeather: (all) => {
      weather = [...all]
    },
    setShared: (state) => {
      shared = state
    },
  }
}

const unknownService = { failures: [], upIn: [] }
const staleAfterMsOfTests = 180_000

const readingOf = (given: TestReading, nowMs: number): ProbeReading => {
  const more = typeof given === 'string' ? { verdict: given } : given
  const verdict = more.verdict ?? 'up'
  const reason = verdict === 'up' ? null : `it was ${verdict} in the test`
  return { verdict, reason, latencyMs: 20, measuredAt: nowMs, ...more }
}

/** Counts one report per address and service, without expiry, in the minute of its arrival. */
const userReportsOf = (now: () => number = Date.now): UserReports => {
  const recorded = new Set<string>()
  const minutes = new Map<string, Map<string, { region: string; atMs: number; count: number }>>()
  return {
    record: ({ slug, region, address }) => {
      const key = `${slug} ${address}`
      if (recorded.has(key)) return false
      recorded.add(key)
      const atMs = Math.floor(now() / 60_000) * 60_000
      const own = minutes.get(slug) ?? new Map()
      const minute = own.get(`${region} ${atMs}`) ?? { region, atMs, count: 0 }
      minute.count += 1
      own.set(`${region} ${atMs}`, minute)
      minutes.set(slug, own)
      return true
    },
    minutesOf: (slug) => [...(minutes.get(slug)?.values() ?? [])],
    usualOf: () => [],
  }
}

export type TestAnswers = AnswersContext & { readonly observed: TestObserved }

/** A context in memory. A test passes the parts that it needs. */
export const answersOf = (more: Partial<TestAnswers> = {}): TestAnswers => {
  const catalog = more.catalog ?? smallCatalog
  const regions = more.regions ?? regionsDefault
  const now = more.now ?? Date.now
  const staleAfterMs = more.staleAfterMs ?? staleAfterMsOfTests
  return {
    catalog,
    observed: observedOf({ catalog, regions, now, staleAfterMs }),
    reports: userReportsOf(now),
    outagesOf: async () => [],
    historyOf: async () => describeServiceHistory({ hours: [], steps: [] }, now()),
    regions,
    staleAfterMs,
    vantage: 'local',
    publicUrl: 'http://127.0.0.1:8080',
    now,
    ...more,
  }
}
