import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** What the ingest of error events says of itself on `/metrics`. */
export const acceptMetrics = (
  registry: Registry,
  sizes: { waiting(): number; keys(): number; backlog(): number },
) => {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'error_counts_waiting',
    help: 'Counts of error events that the stream has not taken yet',
    registers,
    collect() {
      waiting.set(sizes.waiting())
    },
  })
  const keys = new Gauge({
    name: 'error_keys_known',
    help: 'Keys of error projects in memory; any other is asked for in the request that brings it',
    registers,
    collect() {
      keys.set(sizes.keys())
    },
  })
  const backlog = new Gauge({
    name: 'error_backlog_events',
    help: 'Error events that this process put on the stream and that are not counted yet',
    registers,
    collect() {
      backlog.set(sizes.backlog())
    },
  })
  return {
    quotaAccounts: new Gauge({
      name: 'error_quota_accounts',
      help: 'Accounts that reached a part of the error events of this month, by percent, in the whole database; a raised tier takes none back',
      labelNames: ['percent'] as const,
      registers,
    }),
    events: new Counter({
      name: 'error_events_received_total',
      help: 'Error events received, by what was answered: taken, or why they were dropped',
      labelNames: ['answer'] as const,
      registers,
    }),
    limited: new Counter({
      name: 'error_events_limited_total',
      help: 'Error events dropped as rate, by the limit that they met',
      labelNames: ['limit'] as const,
      registers,
    }),
    filtered: new Counter({
      name: 'error_events_filtered_total',
      help: 'Error events that a filter of their project dropped, by filter',
      labelNames: ['filter'] as const,
      registers,
    }),
    streamRefused: new Counter({
      name: 'error_stream_refused_total',
      help: 'Error events that the stream did not take when they came: it was full, or away',
      labelNames: ['why'] as const,
      registers,
    }),
    strangers: new Counter({
      name: 'error_requests_refused_total',
      help: 'Requests of error events that named no project: without a key, or with an unknown or revoked one',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

export type AcceptMetrics = ReturnType<typeof acceptMetrics>
