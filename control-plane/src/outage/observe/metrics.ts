import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** What the observer says of itself on `/metrics`. */
export const observeMetrics = (
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
      help: 'Whether the readings of the catalog have been read from the store: 1 or 0',
      registers,
      collect() {
        this.set(observer.isHydrated() ? 1 : 0)
      },
    }),
    eventAge: new Gauge({
      name: 'observe_last_event_age_seconds',
      help: 'How long ago readings of the catalog were told last; NaN where none were',
      registers,
      collect() {
        const lastMs = observer.lastEventMs()
        this.set(lastMs === null ? Number.NaN : Math.max(0, observer.now() - lastMs) / 1_000)
      },
    }),
    changedPages: new Gauge({
      name: 'observe_changed_pages',
      help: 'Probes of the catalog that find another page than it expects, so that nothing is measured',
      registers,
      collect() {
        this.set(observer.changedPages())
      },
    }),
    readings: new Counter({
      name: 'observe_readings_total',
      help: 'Readings of the catalog that were told: taken, or old and changing nothing',
      labelNames: ['outcome'] as const,
      registers,
    }),
    malformed: new Counter({
      name: 'observe_malformed_events_total',
      help: 'Messages with readings of the catalog that were not believed',
      registers,
    }),
    failures: new Counter({
      name: 'observe_failures_total',
      help: 'Runs that failed and come again: readings, baselines, weather, shared',
      labelNames: ['run'] as const,
      registers,
    }),
  }
}

export type ObserveMetrics = ReturnType<typeof observeMetrics>
