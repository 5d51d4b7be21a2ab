import type { Loop } from '@probe-mesh/runtime/loop'
import { startLoop } from '@probe-mesh/runtime/loop'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Sql } from '../stores/postgres/connect.ts'
import { listen } from '../stores/postgres/listen.ts'
import { claimOutbox } from '../stores/outbox-store.ts'
import { pruneSubscriptionMails } from './subscription-mails-store.ts'
import { deleteUnconfirmed } from './subscribers-store.ts'
import type { UnsubscribeTokens } from './subscriber-tokens.ts'
import { expandNews } from './expand-news.ts'

/** How long a row may wait when its notification was lost. */
const pollMs = 2_000
/** A page may have very many subscribers: a few rows at a time. */
const rowsPerClaim = 10
const forgetMs = 600_000

export type NewsExpander = { close(): Promise<void> }

/**
 * Turns what a page said into one mail for each confirmed subscriber, once, and forgets those who
 * never confirmed. Sending is not its work: it leaves deliveries.
 */
export const startNewsExpander = async (capabilities: {
  sql: Sql
  tokens: UnsubscribeTokens
  publicUrl: string
  registry: Registry
  log: Logger
  now: () => number
}): Promise<NewsExpander> => {
  const { sql, registry, log, now } = capabilities
  const counted = new Counter({
    name: 'notify_subscriber_mails_total',
    help: 'Mails to subscribers written for delivery',
    registers: [registry],
  })
  const expanded = new Counter({
    name: 'notify_news_total',
    help: 'Pieces of news for subscribers, by outcome: expanded, gone (deleted meanwhile), failed',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const dropped = new Counter({
    name: 'notify_dropped_total',
    help: 'Messages dropped for newer mails to subscribers: too many of their account waited',
    registers: [registry],
  })
  const forgotten = new Counter({
    name: 'subscribers_forgotten_total',
    help: 'Subscribers removed because they did not confirm in time',
    registers: [registry],
  })
  let loop: Loop | null = null
  const listening = await listen(sql, 'outbox', {
    onNotify: () => loop?.wake(),
    onConnected: () => loop?.wake(),
  })

  /** @returns whether there may be more */
  const drain = async (): Promise<boolean> => {
    const rows = await claimOutbox(sql, ['mail'], rowsPerClaim, now())
    if (rows.length === 0) return false
    for (const row of rows) {
      try {
        const mails = await expandNews(capabilities, row)
        expanded.inc({ outcome: mails === null ? 'gone' : 'expanded' })
        counted.inc(mails?.written ?? 0)
        dropped.inc(mails?.dropped ?? 0)
      } catch (error) {
        // its claim runs out and it comes back; the others need not wait for it
        expanded.inc({ outcome: 'failed' })
        log.warn({ err: error, outboxId: row.id }, 'subscribers cannot be told; trying again')
      }
    }
    return true
  }

  let forgotAt = -Infinity
  loop = startLoop({
    round: async () => {
      if (await drain()) return 'again'
      if (now() - forgotAt > forgetMs) {
        forgotten.inc(await deleteUnconfirmed(sql, now()))
        await pruneSubscriptionMails(sql, now())
        forgotAt = now()
      }
      return undefined
    },
    everyMs: pollMs,
    onError: (error) => {
      log.warn({ err: error }, 'news cannot be read from the outbox; trying again')
    },
  })
  const { close } = loop
  return {
    close: async () => {
      await close()
      await listening.close()
    },
  }
}
