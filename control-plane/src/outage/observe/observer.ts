import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Bus } from '@probe-mesh/bus/port'
import { CatalogReadings } from '@probe-mesh/contracts/mesh/events'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { Observed } from '../observed.ts'
import type { Outage } from '../past-outages.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { staleAfterMs as staleAfter } from '../../status/freshness.ts'
import { createBaselines } from './baselines.ts'
import { createCatalogMemory } from './catalog-memory.ts'
import { createHydrator } from './hydrator.ts'
import { repeatEvery } from './repeat-every.ts'
import { createObservedCatalog } from './observed-catalog.ts'
import { createPastOutages } from './past-outages.ts'
import type { OutageCache } from './past-outages.ts'
import { createSharedWatch } from './shared-watch.ts'
import { createResponseTimes } from './response-times.ts'
import { Counter, Gauge } from 'prom-client'

const healMs = 300_000
const weatherMs = 60_000
const baselinesMs = 60_000
/** The catalog is looked at for shared incidents as often as it is measured, up to this pace. */
const sharedMs = 10_000

export type Observer = {
  readonly observed: Observed
  /** Newest first; throws what ClickHouse throws while it is away. */
  outagesOf(slug: string): Promise<readonly Outage[]>
  close(): Promise<void>
}

/**
 * Holds the readings of the catalog in memory, for answers: from broadcasts of the assessing control planes, and
 * from ClickHouse at the start and every five minutes, since a broadcast arrives at most once. Nothing
 * is answered from before it was filled; while ClickHouse is away, not before everything fresh must
 * have been told. Resolves when it listens.
 */
export const startObserver = async (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  bus: Bus
  catalog: CatalogIndex
  regions: readonly Region[]
  catalogIntervalSeconds: number
  /** Of the partition whose owner looks for shared incidents; null where that is somebody else. */
  lease: () => Lease | null
  isQuarantined: (region: Region) => boolean
  /** Since when several unrelated services are silent for a region; null where they are not. */
  burstSinceMs: (region: Region) => number | null
  vantage: Evidence['vantage']
  outageCache: OutageCache
  registry: Registry
  log: Logger
  now: () => number
}): Promise<Observer> => {
  const { bus, catalogIntervalSeconds, registry, log, now } = capabilities
  const staleAfterMs = staleAfter(catalogIntervalSeconds)
  const closing = new AbortController()
  const { signal } = closing
  const means = { ...capabilities, staleAfterMs, signal }
  const memory = createCatalogMemory(capabilities)
  const hydrator = createHydrator({ ...means, memory })
  const [baselines, weather] = [createBaselines(capabilities), createResponseTimes(capabilities)]

  let hydrated = false
  let lastEventMs: number | null = null
  const metrics = observeMetrics(registry, {
    isHydrated: () => hydrated,
    lastEventMs: () => lastEventMs,
    changedPages: memory.changedPages,
    now,
  })
  const subscription = await bus.events.subscribe('catalog_readings', (payload) => {
    const told = CatalogReadings.safeParse(payload)
    if (!told.success) {
      metrics.malformed.inc()
      return
    }
    lastEventMs = now()
    for (const reading of told.data.readings) {
      metrics.readings.inc({ outcome: memory.add(reading) ? 'taken' : 'old' })
    }
  })
  const listeningSinceMs = now()
  const isReady = (): boolean => hydrated || now() - listeningSinceMs >= staleAfterMs
  const observed = createObservedCatalog({ ...means, memory, baselines, weather, isReady })
  const shared = createSharedWatch({ ...capabilities, isReady, services: observed.services })

  const pace = (run: string, everyMs: number, act: () => Promise<void>) =>
    repeatEvery(act, {
      everyMs,
      now,
      signal,
      onFailure: (error) => {
        metrics.failures.inc({ run })
        log.warn({ err: error, run }, 'refreshing the catalog data failed; retrying')
      },
    })
  const healing = pace('readings', healMs, async () => {
    await hydrator.hydrate()
    if (hydrated || signal.aborted) return
    hydrated = true
    log.info({ checks: capabilities.catalog.checks.length }, 'catalog readings loaded')
  })
  const returned = bus.onReturn(healing.wake)
  const paces = [
    healing,
    pace('weather', Math.min(weatherMs, 10_000 * catalogIntervalSeconds), weather.refresh),
    pace('baselines', baselinesMs, baselines.refresh),
    pace('shared', Math.min(sharedMs, 1_000 * catalogIntervalSeconds), shared.evaluate),
  ]
  return {
    observed: { ...observed, shared: shared.state },
    outagesOf: createPastOutages({
      ...means,
      cache: capabilities.outageCache,
      standingOf: observed.standingOf,
    }),
    close: async () => {
      closing.abort()
      await Promise.all([subscription.close(), returned.close(), ...paces.map(({ over }) => over)])
    },
  }
}

/** What the observer says of itself on `/metrics`. */
const observeMetrics = (
  registry: Registry,
  observer: {
    isHydrated(): boolean
    lastEventMs(): number | null
    changedPages(): number
    now(): number
  },
) => {
  const registers = [registry]
  return {
    hydrated: new Gauge({
      name: 'observe_hydrated',
      help: '1 when the catalog readings are loaded from ClickHouse, else 0',
      registers,
      collect() {
        this.set(observer.isHydrated() ? 1 : 0)
      },
    }),
    eventAge: new Gauge({
      name: 'observe_last_event_age_seconds',
      help: 'Seconds since the last broadcast of catalog readings; NaN before the first one',
      registers,
      collect() {
        const lastMs = observer.lastEventMs()
        this.set(lastMs === null ? Number.NaN : Math.max(0, observer.now() - lastMs) / 1_000)
      },
    }),
    changedPages: new Gauge({
      name: 'observe_changed_pages',
      help: 'Catalog probes whose page no longer matches the catalog, so that they measure nothing',
      registers,
      collect() {
        this.set(observer.changedPages())
      },
    }),
    readings: new Counter({
      name: 'observe_readings_total',
      help: 'Catalog readings received by broadcast, by outcome: taken, old (ignored)',
      labelNames: ['outcome'] as const,
      registers,
    }),
    malformed: new Counter({
      name: 'observe_malformed_events_total',
      help: 'Broadcasts of catalog readings dropped because they were malformed',
      registers,
    }),
    failures: new Counter({
      name: 'observe_failures_total',
      help: 'Failed refresh runs, by run: readings, baselines, weather, shared. Each is retried',
      labelNames: ['run'] as const,
      registers,
    }),
  }
}
