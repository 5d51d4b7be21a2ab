import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>

export const deliveryMetrics = (registry: Registry) => {
  const registers = [registry]
  return {
    sent: new Counter({
      name: 'deliveries_sent_total',
      help: 'Messages that their receiver took, by kind',
      labelNames: ['kind'] as const,
      registers,
    }),
    failed: new Counter({
      name: 'deliveries_failed_total',
      help: 'Tries to send a message that failed, by kind and by what they met',
      labelNames: ['kind', 'met'] as const,
      registers,
    }),
    dead: new Counter({
      name: 'deliveries_dead_total',
      help: 'Messages that were given up: refused, or not sent in time',
      labelNames: ['kind'] as const,
      registers,
    }),
    kept: new Counter({
      name: 'deliveries_kept_total',
      help: 'Mails that were not sent since SMTP_URL is not set',
      registers,
    }),
    dropped: new Counter({
      name: 'deliveries_dropped_total',
      help: 'Messages dropped because too many of their account waited, by kind',
      labelNames: ['kind'] as const,
      registers,
    }),
    inFlight: new Gauge({
      name: 'deliveries_in_flight',
      help: 'Messages that are being sent, by kind',
      labelNames: ['kind'] as const,
      registers,
    }),
    accountWaiting: new Gauge({
      name: 'deliveries_account_waiting',
      help: 'Messages that wait to be sent, by kind, of the largest accounts and of all others, in the whole database',
      labelNames: ['kind', 'account'] as const,
      registers,
    }),
    waiting: new Gauge({
      name: 'deliveries_waiting',
      help: 'Messages that wait to be sent, by kind, in the whole database',
      labelNames: ['kind'] as const,
      registers,
    }),
    oldestSeconds: new Gauge({
      name: 'deliveries_oldest_waiting_seconds',
      help: 'Age of the oldest message that waits to be sent, by kind, in the whole database',
      labelNames: ['kind'] as const,
      registers,
    }),
  }
}
