import type { LoopContext } from '../stores/loop-context.ts'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Loop } from '@probe-mesh/runtime/loop'
import { keepLooping } from '../stores/faults.ts'
import { listen } from '../stores/postgres/listen.ts'
import { claimOutbox } from '../stores/outbox-store.ts'
import { pruneSubscriptionMails } from './subscription-mails-store.ts'
import { deleteUnconfirmed } from './subscribers-store.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'
import { expandNews } from './expand-news.ts'

/** Polling interval, for notifications that were lost. */
const pollMs = 2_000
/** Few rows at a time, because a page may have many subscribers. */
const rowsPerClaim = 10
const deleteUnconfirmedMs = 600_000

export type NewsExpander = { close(): Promise<void> }

/**
 * Turns news of pages into one delivery for each confirmed subscriber, and deletes subscriptions that were
 * not confirmed in time. The deliverer sends the mails.
 */
export const startNewsExpander = async (
  capabilities: LoopContext & { tokens: UnsubscribeTokens; publicUrl: string },
): Promise<NewsExpander> => {
  const { sql, registry, log, now } = capabilities
  const metric = createMetrics(registry)
  const mailsWritten = metric.counter(
    'notify_subscriber_mails_total',
    'Mails to subscribers written for delivery',
  )
  const expanded = metric.counter(
    'notify_news_total',
    'News for subscribers, by outcome: expanded, gone (deleted meanwhile), failed',
    'outcome',
  )
  const dropped = metric.counter(
    'notify_dropped_total',
    'Messages dropped for newer mails to subscribers because their account had too many pending messages',
  )
  const unconfirmed = metric.counter(
    'subscribers_forgotten_total',
    'Subscriptions deleted because they were not confirmed in time',
  )
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
        mailsWritten.inc(mails?.written ?? 0)
        dropped.inc(mails?.dropped ?? 0)
      } catch (error) {
        // its claim expires and it is retried; the other rows do not wait for it
        expanded.inc({ outcome: 'failed' })
        log.warn({ err: error, outboxId: row.id }, 'mails to subscribers could not be written; retrying')
      }
    }
    return true
  }

  let deletedAt = -Infinity
  loop = keepLooping(log, {
    what: 'news for subscribers cannot be read',
    round: async () => {
      if (await drain()) return 'again'
      if (now() - deletedAt > deleteUnconfirmedMs) {
        unconfirmed.inc(await deleteUnconfirmed(sql, now()))
        await pruneSubscriptionMails(sql, now())
        deletedAt = now()
      }
      return undefined
    },
    everyMs: pollMs,
  })
  const { close } = loop
  return {
    close: async () => {
      await close()
      await listening.close()
    },
  }
}
