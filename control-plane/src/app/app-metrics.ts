import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** Metrics of streams, retries and drops of the HTTP server. */
export const appMetrics = (registry: Registry, sizes: { streams(): number }) => {
  const registers = [registry]
  const streams = new Gauge({
    name: 'http_event_streams',
    help: 'Open event streams',
    registers,
    collect() {
      streams.set(sizes.streams())
    },
  })
  return {
    streamsLagging: new Counter({
      name: 'http_event_streams_lagging_total',
      help: 'Event streams closed because the client lagged too far behind',
      registers,
    }),
    writesRepeated: new Counter({
      name: 'account_writes_repeated_total',
      help: 'Writes of accounts retried after a conflict with a concurrent transaction',
      registers,
    }),
    firstReadingsDropped: new Counter({
      name: 'http_first_readings_dropped_total',
      help: 'First readings of new checks skipped because too many runs were in progress',
      registers,
    }),
    runsUnanswered: new Counter({
      name: 'http_runs_unanswered_total',
      help: 'Regions without a reading in a manual run, by why: busy, no_agent, timeout, refused, failed',
      labelNames: ['why'] as const,
      registers,
    }),
  }
}
