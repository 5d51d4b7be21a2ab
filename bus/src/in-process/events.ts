import type { Logger } from '../logger.ts'
import type { Events } from '../port.ts'
import { decodeText, encodeText } from '../wire.ts'
import { createDelivery, type Delivery } from './delivery.ts'

/** How many events a subscriber may lag behind; beyond that the oldest are dropped. */
const backlogMax = 10_000

export const createEvents = (log: Logger): Events & { close(): void } => {
  const subscribers = new Map<string, Set<Delivery<number, string>>>()
  let published = 0
  const publish = (kind: string, payload: unknown): void => {
    const listening = subscribers.get(kind)
    if (listening === undefined || listening.size === 0) return
    const text = encodeText(payload)
    published++
    for (const delivery of listening) delivery.offer(published, text)
  }

  return {
    publish,
    deliver: async (events) => {
      for (const { kind, payload } of events) publish(kind, payload)
    },
    subscribe: async (kind, handler) => {
      const delivery = createDelivery<number, string>({
        snapshot: [],
        onSnapshotEnd: () => undefined,
        deliver: (_, text) => handler(decodeText<unknown>(text)),
        pendingMax: backlogMax,
        log,
      })
      const listening = subscribers.get(kind) ?? new Set()
      subscribers.set(kind, listening.add(delivery))
      return {
        close: async () => {
          listening.delete(delivery)
          if (listening.size === 0 && subscribers.get(kind) === listening) subscribers.delete(kind)
          await delivery.close()
          const dropped = delivery.dropped()
          if (dropped > 0) log.warn({ kind, dropped }, 'events of a slow subscriber were dropped')
        },
      }
    },
    close: () => {
      for (const listening of subscribers.values()) {
        for (const delivery of listening) void delivery.close()
      }
      subscribers.clear()
    },
  }
}
