import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Registry } from 'prom-client'

export type AlertMetrics = ReturnType<typeof alertMetrics>

export const alertMetrics = (registry: Registry) => {
  const metric = createMetrics(registry)
  return {
    flips: metric.counter('alert_flips_total', 'Status changes processed by the alert rules'),
    notices: metric.counter('alert_notices_total', 'Notices of alert rules about checks, by event', 'event'),
    expiries: metric.counter(
      'alert_expiry_notices_total',
      'Notices about certificates and domains, by kind and event, counted once for each check',
      'kind',
      'event',
    ),
    sent: metric.counter(
      'alert_messages_sent_total',
      'Messages queued for delivery, by form; a digest contains several notices',
      'form',
    ),
    errorNotices: metric.counter(
      'alert_error_news_total',
      'Notices of error tracking rules, by kind and whether each was sent on its own',
      'kind',
      'told',
    ),
    dropped: metric.counter(
      'alert_messages_dropped_total',
      'Messages dropped: their channel or user was deleted, or could get none for too long',
    ),
    postponed: metric.counter(
      'alert_flips_put_aside_total',
      'Status changes that could not be processed and were postponed',
    ),
  }
}
