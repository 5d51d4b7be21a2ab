import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Bus } from '@probe-mesh/bus/port'
import { CatalogReadings } from '@probe-mesh/contracts/mesh/events'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
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
import { createPastOutages, type OutageCache } from './past-outages.ts'
import { createSharedWatch } from './shared-watch.ts'
import { createResponseTimes } from './response-times.ts'
import { faultsOf } from '../../stores/faults.ts'

const reloadMs = 300_000
const weatherMs = 60_000
const baselinesMs = 60_000
/** Shared incidents are evaluated once per catalog interval, and at least this often. */
const sharedMs = 10_000

export type Observer = {
  readonly observed: Observed
  /** Newest first. @throws while ClickHouse is unavailable */
  outagesOf(slug: string): Promise<readonly Outage[]>
  close(): Promise<void>
}

/**
 * Keeps the catalog's readings in memory for answers. They come from broadcasts of the assessing control
 * planes, and from ClickHouse at start and every five minutes, because broadcasts are delivered at most once.
 * Answers use the memory once it is loaded, or, while ClickHouse is unavailable, once all fresh readings must
 * have been broadcast. Resolves when it is subscribed.
 */
export const startObserver = async (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  bus: Bus
  catalog: CatalogIndex
  regions: readonly Region[]
  catalogIntervalSeconds: number
  /** The lease of the partition whose owner detects shared incidents; null if another process owns it. */
  lease: () => Lease | null
  isQuarantined: (region: Region) => boolean
  /** When several unrelated services went silent in a region together; null if they did not. */
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
  const common = { ...capabilities, staleAfterMs, signal }
  const memory = createCatalogMemory(capabilities)
  const hydrator = createHydrator({ ...common, memory })
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
    const message = CatalogReadings.safeParse(payload)
    if (!message.success) {
      metrics.malformed.inc()
      return
    }
    lastEventMs = now()
    for (const reading of message.data.readings) {
      metrics.readings.inc({ outcome: memory.add(reading) ? 'taken' : 'old' })
    }
  })
  const subscribedAtMs = now()
  const isReady = (): boolean => hydrated || now() - subscribedAtMs >= staleAfterMs
  const observed = createObservedCatalog({ ...common, memory, baselines, weather, isReady })
  const shared = createSharedWatch({ ...capabilities, isReady, services: observed.services })

  const faults = faultsOf(log)
  const repeat = (run: string, everyMs: number, act: () => Promise<void>) => {
    const work = { what: `${run} of the catalog cannot be refreshed` }
    const actOnce = async (): Promise<void> => {
      await act()
      faults.worked(work)
    }
    return repeatEvery(actOnce, {
      everyMs,
      now,
      signal,
      onFailure: (error) => {
        metrics.failures.inc({ run })
        faults.failed(work, error)
      },
    })
  }
  const reloading = repeat('readings', reloadMs, async () => {
    await hydrator.hydrate()
    if (hydrated || signal.aborted) return
    hydrated = true
    log.info({ checks: capabilities.catalog.checks.length }, 'catalog readings loaded')
  })
  const returned = bus.onReturn(reloading.wake)
  const repeaters = [
    reloading,
    repeat('weather', Math.min(weatherMs, 10_000 * catalogIntervalSeconds), weather.refresh),
    repeat('baselines', baselinesMs, baselines.refresh),
    repeat('shared', Math.min(sharedMs, 1_000 * catalogIntervalSeconds), shared.evaluate),
  ]
  return {
    observed: { ...observed, shared: shared.state },
    outagesOf: createPastOutages({
      ...common,
      cache: capabilities.outageCache,
      healthOf: observed.healthOf,
    }),
    close: async () => {
      closing.abort()
      await Promise.all([subscription.close(), returned.close(), ...repeaters.map(({ ended }) => ended)])
    },
  }
}

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
