import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { Place } from '@probe-mesh/runtime/fair-pool'
import { isPostgresAway } from '../stores/postgres/connect.ts'
import type { KeyedPing } from './record-pings.ts'

/** Pings that are written together. */
const batchMax = 500

/** `unknown` where nobody has the ping key, `full` where too many of its network, or of all, wait: try again. */
export type PingAnswer = 'recorded' | 'unknown' | 'full'

export type PingQueue = {
  /**
   * Settles when the ping is recorded. Networks take turns, so that a flood from one holds up no other.
   * @param network that the ping comes from: `widestNetworkOf` its address
   * @throws what the store throws
   */
  take(ping: KeyedPing, network: string): Promise<PingAnswer>
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
  const pool = createFairPool(requestPools.pings.bounds)
  const gathered: Waiting[] = []
  let working: Promise<void> | null = null

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
    while (gathered.length > 0) await settle(gathered.splice(0, batchMax))
    working = null
  }
  const gather = (ping: KeyedPing, place: Place): Promise<PingAnswer> =>
    new Promise<PingAnswer>((resolve, reject) => {
      gathered.push({ ping, resolve, reject })
      working ??= work()
    }).finally(place.release)

  /** Those that were given a place by the last write may begin another one. */
  const drained = async (): Promise<void> => {
    if (working === null) return
    await working
    await drained()
  }

  return {
    take: async (ping, network) => {
      const place = await pool.take(network)
      return typeof place === 'string' ? 'full' : gather(ping, place)
    },
    get waiting() {
      return pool.waiting + gathered.length
    },
    get refused() {
      return pool.counts.full + pool.counts.displaced
    },
    close: drained,
  }
}
