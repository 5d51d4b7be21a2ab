import { errorPools } from '@probe-mesh/contracts/error-tracking/error-pools'

/** What one account may have on the stream. */
type BacklogBounds = { messages: number; bytes: number }

/** Messages that are remembered together: they are counted as soon as the last of them is. */
const messagesOfRunMax = 100

export type StreamBacklog = {
  /** Whether the account has its share waiting on the stream. */
  isFull(accountId: string): boolean
  /** An event of the account is on the stream. */
  add(accountId: string, message: { partition: number; sequence: number; bytes: number }): void
  /** Everything of the partition up to `sequence` is counted. */
  counted(partition: number, sequence: number): void
  /** Partitions of which something waits. */
  partitions(): number[]
  /** Messages that wait, of all accounts. */
  size(): number
}

type Run = { partition: number; last: number; messages: number; bytes: number }
type Held = { runs: Run[]; messages: number; bytes: number }

/**
 * What each account has put on the stream by this process and is not counted yet. A partition is read in order, so
 * that whatever stands in it waits for what came before, whosever it is.
 */
export const createStreamBacklog = (
  bounds: BacklogBounds = errorPools.errorBacklog.limits,
): StreamBacklog => {
  const accounts = new Map<string, Held>()
  return {
    isFull: (accountId) => {
      const held = accounts.get(accountId)
      return held !== undefined && (held.messages >= bounds.messages || held.bytes >= bounds.bytes)
    },
    add: (accountId, { partition, sequence, bytes }) => {
      const held = accounts.get(accountId) ?? { runs: [], messages: 0, bytes: 0 }
      accounts.set(accountId, held)
      held.messages += 1
      held.bytes += bytes
      const run = held.runs.at(-1)
      if (run?.partition === partition && run.messages < messagesOfRunMax) {
        run.last = Math.max(run.last, sequence)
        run.messages += 1
        run.bytes += bytes
      } else held.runs.push({ partition, last: sequence, messages: 1, bytes })
    },
    counted: (partition, sequence) => {
      for (const [accountId, held] of accounts) {
        const left = held.runs.filter((run) => run.partition !== partition || run.last > sequence)
        if (left.length === held.runs.length) continue
        held.runs = left
        held.messages = left.reduce((sum, { messages }) => sum + messages, 0)
        held.bytes = left.reduce((sum, { bytes }) => sum + bytes, 0)
        if (left.length === 0) accounts.delete(accountId)
      }
    },
    partitions: () => [
      ...new Set([...accounts.values()].flatMap(({ runs }) => runs.map((run) => run.partition))),
    ],
    size: () => [...accounts.values()].reduce((sum, { messages }) => sum + messages, 0),
  }
}
