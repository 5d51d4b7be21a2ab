import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'

export type AlertMetrics = ReturnType<typeof alertMetrics>

export const alertMetrics = (registry: Registry) => {
  const registers = [registry]
  return {
    flips: new Counter({
      name: 'alert_flips_total',
      help: 'Status changes processed by the alert rules',
      registers,
    }),
    notices: new Counter({
      name: 'alert_notices_total',
      help: 'Notices of alert rules about checks, by event',
      labelNames: ['event'] as const,
      registers,
    }),
    expiries: new Counter({
      name: 'alert_expiry_notices_total',
      help: 'Notices about certificates and domains, by kind and event, counted once for each check',
      labelNames: ['kind', 'event'] as const,
      registers,
    }),
    sent: new Counter({
      name: 'alert_messages_sent_total',
      help: 'Messages queued for delivery, by form; a digest contains several notices',
      labelNames: ['form'] as const,
      registers,
    }),
    errorNotices: new Counter({
      name: 'alert_error_news_total',
      help: 'Notices of error tracking rules, by kind and whether each was sent on its own',
      labelNames: ['kind', 'told'] as const,
      registers,
    }),
    dropped: new Counter({
      name: 'alert_messages_dropped_total',
      help: 'Messages dropped because their channel or user was deleted before they were sent',
      registers,
    }),
    postponed: new Counter({
      name: 'alert_flips_put_aside_total',
      help: 'Status changes that could not be processed and were postponed',
      registers,
    }),
  }
}
