import { callHandler, type Logger } from '../logger.ts'
import type { Subscription } from '../port.ts'

/** Items of one delivery per turn of the event loop, so that 100,000 assignments do not block it. */
const itemsPerTurn = 500

/**
 * Delivers values to one handler in order, some in each turn, never within the call that offered them. A key
 * that is offered again before its turn is delivered once, with its last value at its last place. So pending
 * values are bounded by the number of keys, and by `pendingMax`.
 */
export type Delivery<Key, Value> = {
  offer(key: Key, value: Value): void
  /** How many values were dropped, oldest first, because of `pendingMax`. */
  dropped(): number
  close(): Promise<void>
}

type DeliveryOptions<Key, Value> = {
  /** Delivered before anything offered. */
  snapshot: Iterable<readonly [Key, Value]>
  onSnapshotEnd(): void
  deliver(key: Key, value: Value): void
  pendingMax: number
  log: Logger
}

export const createDelivery = <Key, Value>(options: DeliveryOptions<Key, Value>): Delivery<Key, Value> => {
  const pending = new Map<Key, Value>()
  let snapshot: Iterator<readonly [Key, Value]> | null = [...options.snapshot].values()
  let scheduled = false
  let closed = false
  let droppedCount = 0

  const guarded = (call: () => void) => callHandler(options.log, call)
  const deliverOne = (): boolean => {
    if (snapshot !== null) {
      const next = snapshot.next()
      if (next.done === true) {
        snapshot = null
        guarded(options.onSnapshotEnd)
      } else {
        guarded(() => options.deliver(...next.value))
      }
      return true
    }
    for (const [key, value] of pending) {
      pending.delete(key)
      guarded(() => options.deliver(key, value))
      return true
    }
    return false
  }
  const turn = () => {
    scheduled = false
    for (let items = 0; items < itemsPerTurn; items++) {
      if (closed || !deliverOne()) return
    }
    schedule()
  }
  const schedule = () => {
    if (scheduled || closed) return
    scheduled = true
    setImmediate(turn)
  }
  const dropOldest = () => {
    for (const key of pending.keys()) {
      pending.delete(key)
      droppedCount++
      return
    }
  }

  schedule()
  return {
    offer: (key, value) => {
      if (closed) return
      pending.delete(key)
      if (pending.size >= options.pendingMax) dropOldest()
      pending.set(key, value)
      schedule()
    },
    dropped: () => droppedCount,
    close: async () => {
      closed = true
      pending.clear()
    },
  }
}

/** Adds a delivery to the watchers until it is closed. */
export const joinWatchers = <K, V>(watchers: Set<Delivery<K, V>>, delivery: Delivery<K, V>): Subscription => {
  watchers.add(delivery)
  return {
    close: async () => {
      watchers.delete(delivery)
      await delivery.close()
    },
  }
}
