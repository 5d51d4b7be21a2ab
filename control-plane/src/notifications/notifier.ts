import { pause } from '@probe-mesh/bus/pause'
import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import { pruneQuotas } from '../accounts/rate-limits/quota-store.ts'
import { claimOutbox, finishOutbox, pruneOutbox } from '../stores/outbox-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { listen } from '../stores/postgres/listen.ts'

/** How long a row may wait when its notification was lost. */
const pollMs = 2_000
const rowsPerClaim = 200
const keptMs = 7 * 86_400_000
const pruneMs = 3_600_000
/** Longer than anything that a budget's row holds counts. */
const budgetsIdleMs = 600_000

export type Notifier = { close(): Promise<void> }

/**
 * Tells what the outbox holds, at least once each. Flips go to the bus, for live pages and
 * streams; whatever must reach a person or another system will be told from here as well.
 */
export const startNotifier = async (capabilities: {
  sql: Sql
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
}): Promise<Notifier> => {
  const { sql, bus, log, now } = capabilities
  const told = new Counter({
    name: 'notify_outbox_told_total',
    help: 'Outbox rows told, by kind',
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
        told.inc({ kind: row.kind })
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
          await pruneOutbox(sql, now() - keptMs)
          await pruneQuotas(sql, budgetsIdleMs)
          prunedAt = now()
        }
      } catch (error) {
        log.warn({ err: error }, 'outbox cannot be drained; trying again')
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
