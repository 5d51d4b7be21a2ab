import { errorPools } from '../contracts/error-pools.ts'

/** The most that one account can have on the stream. */
type BacklogBounds = { messages: number; bytes: number }

/** Messages that are tracked as one run, which counts as processed when its last message is. */
const messagesOfRunMax = 100

export type StreamBacklog = {
  /** Whether the account's waiting messages reach its share of the stream. */
  isFull(accountId: string): boolean
  /** Adds a published event of the account. */
  add(accountId: string, message: { partition: number; sequence: number; bytes: number }): void
  /** Removes the messages of the partition up to `sequence`. */
  counted(partition: number, sequence: number): void
  /** Partitions with waiting messages. */
  partitions(): number[]
  /** Waiting messages of all accounts. */
  size(): number
}

type Run = { partition: number; last: number; messages: number; bytes: number }
type AccountBacklog = { runs: Run[]; messages: number; bytes: number }

/**
 * The messages of each account that this process published and that are not counted yet. A partition is read
 * in order, so messages of one account wait for earlier ones of other accounts.
 */
export const createStreamBacklog = (
  bounds: BacklogBounds = errorPools.errorBacklog.limits,
): StreamBacklog => {
  const accounts = new Map<string, AccountBacklog>()
  return {
    isFull: (accountId) => {
      const backlog = accounts.get(accountId)
      return backlog !== undefined && (backlog.messages >= bounds.messages || backlog.bytes >= bounds.bytes)
    },
    add: (accountId, { partition, sequence, bytes }) => {
      const backlog = accounts.get(accountId) ?? { runs: [], messages: 0, bytes: 0 }
      accounts.set(accountId, backlog)
      backlog.messages += 1
      backlog.bytes += bytes
      const run = backlog.runs.at(-1)
      if (run?.partition === partition && run.messages < messagesOfRunMax) {
        run.last = Math.max(run.last, sequence)
        run.messages += 1
        run.bytes += bytes
      } else backlog.runs.push({ partition, last: sequence, messages: 1, bytes })
    },
    counted: (partition, sequence) => {
      for (const [accountId, backlog] of accounts) {
        const left = backlog.runs.filter((run) => run.partition !== partition || run.last > sequence)
        if (left.length === backlog.runs.length) continue
        backlog.runs = left
        backlog.messages = left.reduce((sum, { messages }) => sum + messages, 0)
        backlog.bytes = left.reduce((sum, { bytes }) => sum + bytes, 0)
        if (left.length === 0) accounts.delete(accountId)
      }
    },
    partitions: () => [
      ...new Set([...accounts.values()].flatMap(({ runs }) => runs.map((run) => run.partition))),
    ],
    size: () => [...accounts.values()].reduce((sum, { messages }) => sum + messages, 0),
  }
}
