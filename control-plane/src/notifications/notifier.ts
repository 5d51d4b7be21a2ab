import { pause } from '@probe-mesh/runtime/pause'
import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import { pruneBudgets } from '../accounts/rate-limits/budgets-store.ts'
import { claimOutbox, finishOutbox, pruneOutbox } from '../stores/outbox-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
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
export const startNotifier = async (capabilities: {
  sql: Sql
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
}): Promise<Notifier> => {
  const { sql, bus, log, now } = capabilities
  const published = new Counter({
    name: 'notify_outbox_told_total',
    help: 'Outbox rows published, by kind',
    labelNames: ['kind'] as const,
    registers: [capabilities.registry],
  })
  const closing = new AbortController()
  let wake = new AbortController()
  const listening = await listen(sql, 'outbox', {
    onNotify: () => wake.abort(),
    onConnected: () => wake.abort(),
  })
  closing.signal.addEventListener('abort', () => wake.abort(), { once: true })

  const drain = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const rows = await claimOutbox(sql, ['flip', 'incident'], rowsPerClaim, now())
      if (rows.length === 0) return
      for (const row of rows) {
        bus.events.publish(row.kind, row.payload)
        published.inc({ kind: row.kind })
      }
      await finishOutbox(
        sql,
        rows.map((row) => row.id),
        now(),
      )
    }
  }

  const run = async (): Promise<void> => {
    let prunedAt = 0
    while (!closing.signal.aborted) {
      wake = new AbortController()
      try {
        await drain()
        if (now() - prunedAt > pruneMs) {
          await pruneOutbox(sql, now() - retentionMs)
          await pruneBudgets(sql, budgetsIdleMs)
          prunedAt = now()
        }
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be drained; retrying')
      }
      if (!closing.signal.aborted) await pause(pollMs, wake.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
      await listening.close()
    },
  }
}
