import type { Events } from '@probe-mesh/bus/port'
import { watchedMs, Watching, type AccountEvent } from '@probe-mesh/contracts/mesh/events'
import type { ReadingRow } from './insert-readings.ts'
import { describeReading } from './stored-reading.ts'

/** Watched accounts in memory; beyond, the oldest is forgotten until its next notice. */
const accountsMax = 100_000

export type LiveReadings = {
  /** Publishes stored readings to accounts with an open stream. */
  publish(rows: readonly ReadingRow[], facts: ReadonlyMap<string, { readonly accountId: string }>): void
  close(): Promise<void>
}

/** A live stream of readings costs as much as storing them: only watched accounts get one. */
export const openLiveReadings = async (capabilities: {
  events: Events
  now: () => number
}): Promise<LiveReadings> => {
  const { events, now } = capabilities
  const watchedUntil = new Map<string, number>()
  const subscription = await events.subscribe('watching', (payload) => {
    const watching = Watching.safeParse(payload)
    for (const accountId of watching.data?.accountIds ?? []) {
      watchedUntil.delete(accountId)
      watchedUntil.set(accountId, now() + watchedMs)
      const oldest = watchedUntil.keys().next().value
      if (watchedUntil.size > accountsMax && oldest !== undefined) watchedUntil.delete(oldest)
    }
  })
  return {
    publish: (rows, facts) => {
      const nowMs = now()
      for (const [accountId, untilMs] of watchedUntil) {
        if (untilMs < nowMs) watchedUntil.delete(accountId)
      }
      if (watchedUntil.size === 0) return
      for (const { reading, agent, receivedAtMs } of rows) {
        const accountId = facts.get(reading.checkId)?.accountId
        if (accountId === undefined || !watchedUntil.has(accountId)) continue
        const event: AccountEvent = {
          kind: 'reading',
          accountId,
          checkId: reading.checkId,
          reading: describeReading(reading, agent, receivedAtMs),
        }
        events.publish('reading', event)
      }
    },
    close: () => subscription.close(),
  }
}
