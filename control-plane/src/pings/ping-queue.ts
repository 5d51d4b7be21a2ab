import { isPostgresAway } from '../postgres/connect.ts'
import type { KeyedPing } from './record-pings.ts'

/** Pings that are written together, and pings that wait. */
const batchMax = 500
const waitingMax = 10_000

/** `unknown` where nobody has the ping key, `full` where too many wait: try again. */
export type PingAnswer = 'recorded' | 'unknown' | 'full'

export type PingQueue = {
  /** Settles when the ping is recorded. @throws what the store throws */
  take(ping: KeyedPing): Promise<PingAnswer>
  /** Pings that wait, and those that were not taken since the start. */
  readonly waiting: number
  readonly refused: number
  /** Waits for those under way. */
  close(): Promise<void>
}

type Waiting = {
  ping: KeyedPing
  resolve(answer: PingAnswer): void
  reject(error: unknown): void
}

/**
 * Pings come in bursts, at the full minute above all: while some are written the others gather, and
 * are written together next.
 * @param record records all of them or none, and tells which ping keys exist
 */
export const createPingQueue = (
  record: (pings: readonly KeyedPing[]) => Promise<ReadonlySet<string>>,
): PingQueue => {
  const waiting: Waiting[] = []
  let working: Promise<void> | null = null
  let refused = 0

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const known = await record(batch.map(({ ping }) => ping))
      for (const { ping, resolve } of batch) {
        resolve(known.has(ping.pingKey) ? 'recorded' : 'unknown')
      }
    } catch (error) {
      if (batch.length === 1 || isPostgresAway(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      // one that cannot be recorded must not take its neighbours with it
      const middle = Math.ceil(batch.length / 2)
      await settle(batch.slice(0, middle))
      await settle(batch.slice(middle))
    }
  }

  const work = async (): Promise<void> => {
    while (waiting.length > 0) await settle(waiting.splice(0, batchMax))
    working = null
  }

  return {
    take: (ping) => {
      if (waiting.length >= waitingMax) {
        refused += 1
        return Promise.resolve('full')
      }
      return new Promise((resolve, reject) => {
        waiting.push({ ping, resolve, reject })
        working ??= work()
      })
    },
    get waiting() {
      return waiting.length
    },
    get refused() {
      return refused
    },
    close: async () => {
      await working
    },
  }
}
