import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>

export const deliveryMetrics = (registry: Registry) => {
  const registers = [registry]
  return {
    sent: new Counter({
      name: 'deliveries_sent_total',
      help: 'Messages delivered, by kind',
      labelNames: ['kind'] as const,
      registers,
    }),
    failed: new Counter({
      name: 'deliveries_failed_total',
      help: 'Failed attempts to send a message, by kind and cause',
      labelNames: ['kind', 'met'] as const,
      registers,
    }),
    dead: new Counter({
      name: 'deliveries_dead_total',
      help: 'Messages that failed permanently: refused, or not sent in time',
      labelNames: ['kind'] as const,
      registers,
    }),
    kept: new Counter({
      name: 'deliveries_kept_total',
      help: 'Mails that were not sent because SMTP_URL is not set',
      registers,
    }),
    dropped: new Counter({
      name: 'deliveries_dropped_total',
      help: 'Messages dropped because their account had too many pending messages, by kind',
      labelNames: ['kind'] as const,
      registers,
    }),
    inFlight: new Gauge({
      name: 'deliveries_in_flight',
      help: 'Messages in flight, by kind',
      labelNames: ['kind'] as const,
      registers,
    }),
    accountWaiting: new Gauge({
      name: 'deliveries_account_waiting',
      help: 'Pending messages of the accounts with the most, and of all others, by kind, in the whole database',
      labelNames: ['kind', 'account'] as const,
      registers,
    }),
    waiting: new Gauge({
      name: 'deliveries_waiting',
      help: 'Pending messages, by kind, in the whole database',
      labelNames: ['kind'] as const,
      registers,
    }),
    oldestSeconds: new Gauge({
      name: 'deliveries_oldest_waiting_seconds',
      help: 'Age of the oldest pending message, by kind, in the whole database',
      labelNames: ['kind'] as const,
      registers,
    }),
  }
}
