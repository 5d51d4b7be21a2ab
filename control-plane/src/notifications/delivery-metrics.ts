import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Registry } from 'prom-client'

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>

export const deliveryMetrics = (registry: Registry) => {
  const metric = createMetrics(registry)
  return {
    sent: metric.counter('deliveries_sent_total', 'Messages delivered, by kind', 'kind'),
    failed: metric.counter(
      'deliveries_failed_total',
      'Failed attempts to send a message, by kind and cause',
      'kind',
      'met',
    ),
    dead: metric.counter(
      'deliveries_dead_total',
      'Messages that failed permanently: refused, or not sent in time',
      'kind',
    ),
    kept: metric.counter('deliveries_kept_total', 'Mails that were not sent because SMTP_URL is not set'),
    dropped: metric.counter(
      'deliveries_dropped_total',
      'Messages dropped because their account had too many pending messages, by kind',
      'kind',
    ),
    inFlight: metric.gauge('deliveries_in_flight', 'Messages in flight, by kind', 'kind'),
    accountWaiting: metric.gauge(
      'deliveries_account_waiting',
      'Pending messages of the accounts with the most, and of all others, by kind, in the whole database',
      'kind',
      'account',
    ),
    waiting: metric.gauge('deliveries_waiting', 'Pending messages, by kind, in the whole database', 'kind'),
    oldestSeconds: metric.gauge(
      'deliveries_oldest_waiting_seconds',
      'Age of the oldest pending message, by kind, in the whole database',
      'kind',
    ),
  }
}
