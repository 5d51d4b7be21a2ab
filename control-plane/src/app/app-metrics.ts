import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** What the HTTP side drops and holds open, on `/metrics`. */
export const appMetrics = (registry: Registry, sizes: { streams(): number }) => {
  const registers = [registry]
  const streams = new Gauge({
    name: 'http_event_streams',
    help: 'Event streams open',
    registers,
    collect() {
      streams.set(sizes.streams())
    },
  })
  return {
    streamsLagging: new Counter({
      name: 'http_event_streams_lagging_total',
      help: 'Event streams ended because their reader lagged too far behind',
      registers,
    }),
    writesRepeated: new Counter({
      name: 'account_writes_repeated_total',
      help: 'Writes of accounts done again because Postgres ended them for others beside them',
      registers,
    }),
    firstReadingsDropped: new Counter({
      name: 'http_first_readings_dropped_total',
      help: 'First readings of new checks not asked for because too many were under way',
      registers,
    }),
    runsUnanswered: new Counter({
      name: 'http_runs_unanswered_total',
      help: 'Regions that gave no reading to a run asked for, by why: busy, no_agent, timeout, refused, failed',
      labelNames: ['why'] as const,
      registers,
    }),
  }
}
