import type { StreamMessage } from '@probe-mesh/bus/port'
import type { Fetched, Holding } from './context.ts'

/**
 * A batch is sealed at this age, count or size, whichever comes first. Each insert costs ClickHouse about 45 ms of CPU
 * however few its rows are, and readings may take 2 s from their measurement (S-746).
 */
const batchAgeMsMax = 700
/** Messages in which nothing was measured wait so many times as long: nobody waits for them. */
const emptyAgeFactor = 7
const batchMessagesMax = 1_000
const batchBytesMax = 8 * 1024 * 1024
/** Bytes that may wait while a batch is being written. Beyond this the messages stay in the stream. */
const pendingBytesMax = 2 * batchBytesMax

export type FetchedMessage = Fetched<StreamMessage>

const isLeft = ({ holding }: FetchedMessage): boolean => holding.signal.aborted

const measured = ['up', 'down', 'blocked'].map((verdict) => `"verdict":"${verdict}"`)

/** Whether an agent's message has no measurement. What is encoded in another way does not count as such. */
const isEmpty = ({ data }: StreamMessage): boolean => {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return bytes.includes('"verdict":"unmeasured"') && !measured.some((verdict) => bytes.includes(verdict))
}

/** Messages between the feeds and the writer, bounded by bytes. */
export const createPending = (onLength: (length: number) => void, batchAgeMs = batchAgeMsMax) => {
  let fetched: FetchedMessage[] = []
  let bytes = 0
  let dueAt = Number.POSITIVE_INFINITY
  let waiters: (() => void)[] = []
  const wake = (): void => {
    const woken = waiters
    waiters = []
    for (const waiter of woken) waiter()
  }
  const keep = (kept: FetchedMessage[]): void => {
    fetched = kept
    if (kept.length === 0) dueAt = Number.POSITIVE_INFINITY
    bytes = kept.reduce((sum, { message }) => sum + message.data.length, 0)
    onLength(fetched.length)
    wake()
  }
  return {
    wake,
    /** Resolves at the next change. */
    changed: () => new Promise<void>((resolve) => waiters.push(resolve)),
    isFull: () => bytes >= pendingBytesMax,
    isSealed: () => bytes >= batchBytesMax || fetched.length >= batchMessagesMax,
    /** When a batch is due, ms; null: nothing waits. */
    dueAt: () => (fetched.length === 0 ? null : dueAt),
    add: (holding: Holding, messages: readonly StreamMessage[], nowMs: number) => {
      for (const message of messages) {
        dueAt = Math.min(dueAt, nowMs + (isEmpty(message) ? emptyAgeFactor : 1) * batchAgeMs)
        fetched.push({ holding, message })
        bytes += message.data.length
      }
      onLength(fetched.length)
      wake()
    },
    /** Drops the messages of a partition that is left. Its next owner fetches them again. */
    drop: (holding: Holding) => keep(fetched.filter((one) => one.holding !== holding)),
    /**
     * Removes one batch, in order of partition and sequence. Messages of a partition that was left are
     * dropped: together with messages fetched under a later lease they would form a range with a gap, and the
     * gap would be acknowledged.
     */
    take: (): FetchedMessage[] => {
      if (fetched.some(isLeft)) keep(fetched.filter((one) => !isLeft(one)))
      let count = 0
      let takenBytes = 0
      while (count < fetched.length && count < batchMessagesMax && takenBytes < batchBytesMax) {
        takenBytes += fetched[count]?.message.data.length ?? 0
        count += 1
      }
      const taken = fetched.slice(0, count)
      keep(fetched.slice(count))
      return taken.toSorted(
        ({ message: a }, { message: b }) => a.partition - b.partition || a.sequence - b.sequence,
      )
    },
  }
}

export type Pending = ReturnType<typeof createPending>
