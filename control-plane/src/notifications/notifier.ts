import type { LoopContext } from '../stores/loop-context.ts'
import type { Loop } from '@probe-mesh/runtime/loop'
import { keepLooping } from '../stores/faults.ts'
import type { Bus } from '@probe-mesh/bus/port'
import { Counter } from 'prom-client'
import { pruneQuotas } from '../accounts/rate-limits/quota-store.ts'
import { claimOutbox, finishOutbox, pruneOutbox, reopenOutbox } from '../stores/outbox-store.ts'
import { listen } from '../stores/postgres/listen.ts'

/** Polling interval, for notifications that were lost. */
const pollMs = 2_000
const rowsPerClaim = 200
const retentionMs = 7 * 86_400_000
const pruneMs = 3_600_000
/** Longer than any period that a rate limit counts. */
const budgetsIdleMs = 600_000

export type Notifier = { close(): Promise<void> }

/**
 * Publishes outbox rows about flips and incidents on the bus, at least once each, for live pages and
 * streams.
 */
export const startNotifier = async (capabilities: LoopContext & { bus: Bus }): Promise<Notifier> => {
  const { sql, bus, log, now } = capabilities
  const published = new Counter({
    name: 'notify_outbox_told_total',
    help: 'Outbox rows published, by kind',
    labelNames: ['kind'] as const,
    registers: [capabilities.registry],
  })
  let loop: Loop | null = null
  const listening = await listen(sql, 'outbox', {
    onNotify: () => loop?.wake(),
    onConnected: () => loop?.wake(),
  })

  /** @returns whether there may be more */
  const drain = async (): Promise<boolean> => {
    const rows = await claimOutbox(sql, ['flip', 'incident'], rowsPerClaim, now())
    if (rows.length === 0) return false
    const ids = rows.map((row) => row.id)
    try {
      await bus.events.deliver(rows)
    } catch (error) {
      // at once to a notifier whose bus is there
      await reopenOutbox(sql, ids, now())
      throw error
    }
    for (const { kind } of rows) published.inc({ kind })
    await finishOutbox(sql, ids, now())
    return true
  }

  let prunedAt = 0
  loop = keepLooping(log, {
    what: 'events cannot be published',
    round: async () => {
      if (await drain()) return 'again'
      if (now() - prunedAt > pruneMs) {
        await pruneOutbox(sql, now() - retentionMs)
        await pruneQuotas(sql, budgetsIdleMs)
        prunedAt = now()
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
