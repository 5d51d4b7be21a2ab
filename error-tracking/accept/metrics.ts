import { Counter, Gauge, type Registry } from 'prom-client'

export const acceptMetrics = (
  registry: Registry,
  sizes: { waiting(): number; keys(): number; backlog(): number },
) => {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'error_counts_waiting',
    help: 'Counts of error events waiting to be published',
    registers,
    collect() {
      waiting.set(sizes.waiting())
    },
  })
  const keys = new Gauge({
    name: 'error_keys_known',
    help: 'Error project keys in memory; any other key is read from Postgres on request',
    registers,
    collect() {
      keys.set(sizes.keys())
    },
  })
  const backlog = new Gauge({
    name: 'error_backlog_events',
    help: 'Error events published by this process and not processed yet',
    registers,
    collect() {
      backlog.set(sizes.backlog())
    },
  })
  return {
    quotaAccounts: new Gauge({
      name: 'error_quota_accounts',
      help: 'Accounts that reached a threshold of their error event quota this month, by percent, in the whole database; a plan upgrade does not lower it',
      labelNames: ['percent'] as const,
      registers,
    }),
    events: new Counter({
      name: 'error_events_received_total',
      help: 'Error events received, by answer: taken, or the reason for the drop',
      labelNames: ['answer'] as const,
      registers,
    }),
    limited: new Counter({
      name: 'error_events_limited_total',
      help: 'Error events dropped as rate, by limit',
      labelNames: ['limit'] as const,
      registers,
    }),
    filtered: new Counter({
      name: 'error_events_filtered_total',
      help: 'Error events dropped by project filters, by filter',
      labelNames: ['filter'] as const,
      registers,
    }),
    streamRefused: new Counter({
      name: 'error_stream_refused_total',
      help: 'Error events that could not be published: stream full or unavailable (away)',
      labelNames: ['why'] as const,
      registers,
    }),
    keysRefused: new Counter({
      name: 'error_requests_refused_total',
      help: 'Error event requests rejected for a missing, unknown or revoked key',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

export type AcceptMetrics = ReturnType<typeof acceptMetrics>
