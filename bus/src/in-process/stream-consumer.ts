import type { Log } from '../log/log.ts'
import type { LogEntry } from '../log/segment.ts'
import type { StreamConsumer, StreamMessage } from '../port.ts'

/** Lets readers wait for the next message of a partition without polling. */
type Arrival = {
  /** Resolves at the next `announce`, on abort, or after `waitMs`, whichever is first. */
  wait(waitMs: number, signal: AbortSignal): Promise<void>
  announce(): void
}

export const createArrival = (): Arrival => {
  const waiting = new Set<() => void>()
  return {
    wait: (waitMs, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          waiting.delete(done)
          resolve()
        }
        const timer = setTimeout(done, waitMs)
        signal.addEventListener('abort', done, { once: true })
        waiting.add(done)
        if (signal.aborted) done()
      }),
    announce: () => {
      for (const done of waiting) done()
    },
  }
}

/** One partition of the stream, and the position of one of its durable consumers. */
export type ConsumerState = {
  partition: number
  stream: Log
  arrival: Arrival
  /** The consumer has acknowledged everything up to here; stored on disk. */
  floor(): number
  raiseFloor(sequence: number): void
}

export const toMessage = (partition: number, entry: LogEntry): StreamMessage => ({
  partition,
  sequence: entry.sequence,
  data: entry.bytes,
  storedAt: entry.storedAt,
})

export const createConsumer = (state: ConsumerState): StreamConsumer => {
  let closed = false
  let delivered = state.floor()

  const take = (bounds: { messagesMax: number; bytesMax: number }): StreamMessage[] => {
    const from = Math.max(delivered, state.floor()) + 1
    const entries = state.stream.read(from, {
      countMax: bounds.messagesMax,
      bytesMax: bounds.bytesMax,
    })
    delivered = entries.at(-1)?.sequence ?? delivered
    return entries.map((entry) => toMessage(state.partition, entry))
  }

  return {
    fetch: async ({ waitMs, signal, ...bounds }) => {
      const endsAt = performance.now() + waitMs
      for (;;) {
        if (closed || signal.aborted) return []
        const messages = take(bounds)
        const leftMs = endsAt - performance.now()
        if (messages.length > 0 || leftMs <= 0) return messages
        await state.arrival.wait(leftMs, signal)
      }
    },
    acknowledge: async (sequence) => state.raiseFloor(sequence),
    lag: async () => {
      const { stream } = state
      const floor = Math.max(state.floor(), stream.first - 1)
      return { messages: stream.last - floor, bytes: stream.bytesAfter(floor) }
    },
    close: async () => {
      closed = true
      // Wakes every waiting fetch of this partition; those of other consumers wait again.
      state.arrival.announce()
    },
  }
}
