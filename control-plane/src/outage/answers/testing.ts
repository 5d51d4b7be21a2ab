import { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { indexCatalog } from '../../catalog/catalog-index.ts'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import type { Observed } from '../observed.ts'
import type { RegionPace } from '../plate.ts'
import { signOf } from '../failure-sign.ts'
import { listedFactors, standingOf } from '../shared-factors.ts'
import { describeServiceHistory } from '../observe/service-history.ts'
import { viewRegions } from '../region-reading.ts'
import type { HeldRegion, ProbeReading } from '../region-reading.ts'
import type { ObservedService } from '../shared-factors.ts'
import { newSharedState } from '../shared-incident.ts'
import type { SharedState } from '../shared-incident.ts'
import type { MeasuredRegion } from '../weather.ts'
import type { UserReports } from '../unusual-reports.ts'
import type { AnswersContext } from './context.ts'

/** A few services with a stack of three of them. */
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

/** What is observed, as a test says; whatever is set raises the version of its service. */
type TestObserved = Observed & {
  /** The readings of a service, by region. */
  hold(slug: string, regions: readonly HeldRegion[]): void
  /** Each region's newest reading; a region that is left out holds none. */
  see(slug: string, verdicts: Readonly<Record<Region, Seen>>): void
  setPaces(slug: string, paces: readonly RegionPace[]): void
  setWeather(weather: readonly MeasuredRegion[]): void
  setShared(shared: SharedState): void
}

/** A verdict now, or a whole reading. */
export type Seen = ProbeReading['verdict'] | Partial<ProbeReading>

/**
 * In memory, with nothing held of any live region until a test says so. Services stand as
 * `standingOf` says of what is held, since now where they fail.
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
  const silent = regions.map((region): HeldRegion => ({ region, readings: [], quarantined: false }))
  const held = new Map<string, readonly HeldRegion[]>()
  const paces = new Map<string, readonly RegionPace[]>()
  const versions = new Map<string, number>()
  let weather = regions.map((region): MeasuredRegion => ({
    region,
    now: null,
    days: [],
    pace: null,
    dayPaces: [],
    quarantined: false,
  }))
  let shared = newSharedState
  const change = (slug: string): void => {
    versions.set(slug, (versions.get(slug) ?? 0) + 1)
  }
  const hold = (slug: string, readings: readonly HeldRegion[]): void => {
    held.set(slug, readings)
    change(slug)
  }
  const regionsOf = (slug: string): readonly HeldRegion[] => held.get(slug) ?? silent

  const observe = (one: (typeof catalog.catalog.services)[number]): ObservedService => {
    const how = { nowMs: now(), staleAfterMs, vantage: 'local' } as const
    const views = viewRegions(regionsOf(one.slug), how)
    const standing = standingOf(views)
    const down = views.filter((view) => view.fresh && view.status === 'down')
    return {
      slug: one.slug,
      name: one.name,
      vendor: one.vendor,
      failures: down.map(({ region, reading }) => ({
        region,
        sinceMs: reading?.measuredAt ?? now(),
        sign: signOf(reading?.cause),
        mark: reading?.mark ?? null,
      })),
      wellIn: views.flatMap(({ fresh, status, region }) => (fresh && status === 'up' ? [region] : [])),
      factors: listedFactors(one),
      standing,
      regions: down.map(({ region }) => region),
      sinceMs: standing === 'failing' ? now() : null,
    }
  }

  return {
    regionsOf,
    pacesOf: (slug) => paces.get(slug) ?? [],
    weather: () => weather,
    services: () => catalog.catalog.services.map(observe),
    shared: () => shared,
    standingOf: (slug) => {
      const service = catalog.bySlug.get(slug)
      const { failures, wellIn } = service === undefined ? nowhere : observe(service)
      return { failures, wellIn, goodAtMs: null, failedAtMs: null }
    },
    versionOf: (slug) => versions.get(slug) ?? 0,
    hold,
    see: (slug, verdicts) =>
      hold(
        slug,
        silent.map(({ region }) => {
          const seen = verdicts[region]
          return {
            region,
            readings: seen === undefined ? [] : [readingOf(seen, now())],
            quarantined: false,
          }
        }),
      ),
    setPaces: (slug, all) => {
      paces.set(slug, all)
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

const nowhere = { failures: [], wellIn: [] }
const staleAfterMsOfTests = 180_000

const readingOf = (seen: Seen, nowMs: number): ProbeReading => {
  const more = typeof seen === 'string' ? { verdict: seen } : seen
  const verdict = more.verdict ?? 'up'
  const reason = verdict === 'up' ? null : `it was ${verdict} in the test`
  return { verdict, reason, latencyMs: 20, measuredAt: nowMs, ...more }
}

/** One report per address and service, for ever; all in the minute in which they come. */
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

/** What answers work with, all of it in memory; a test gives what it cares about. */
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
