import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'

export type AlertMetrics = ReturnType<typeof alertMetrics>

export const alertMetrics = (registry: Registry) => {
  const registers = [registry]
  return {
    flips: new Counter({
      name: 'alert_flips_total',
      help: 'Flips that the alert rules have taken',
      registers,
    }),
    notices: new Counter({
      name: 'alert_notices_total',
      help: 'What rules had to tell of checks, by event',
      labelNames: ['event'] as const,
      registers,
    }),
    expiries: new Counter({
      name: 'alert_expiry_notices_total',
      help: 'What rules had to notify of certificates and domains, by kind and event, once for each check',
      labelNames: ['kind', 'event'] as const,
      registers,
    }),
    sent: new Counter({
      name: 'alert_messages_sent_total',
      help: 'Messages handed to delivery, by form; a digest stands for several notices',
      labelNames: ['form'] as const,
      registers,
    }),
    errorNews: new Counter({
      name: 'alert_error_news_total',
      help: 'What rules of error tracking had to tell, by kind and whether it was told by itself',
      labelNames: ['kind', 'told'] as const,
      registers,
    }),
    gone: new Counter({
      name: 'alert_messages_dropped_total',
      help: 'Messages whose channel or user was deleted before they were sent',
      registers,
    }),
    aside: new Counter({
      name: 'alert_flips_put_aside_total',
      help: 'Times that a flip could not be taken and was put aside for a while',
      registers,
    }),
  }
}
