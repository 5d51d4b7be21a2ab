import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { createFairPool, type Place } from '@probe-mesh/runtime/fair-pool'
import type { KeyedPing } from './record-pings.ts'
import { isStoreRefusing } from '../stores/store-fault.ts'

/** Pings that are written together. */
const batchMax = 500

/**
 * `unknown`: no heartbeat has the ping key. `ambiguous`: several of the account have the slug. `full`: too many pings wait, of this network or in all; retry
 * later.
 */
export type PingAnswer = 'recorded' | 'unknown' | 'ambiguous' | 'full'

export type PingQueue = {
  /**
   * Resolves when the ping is recorded. Networks take turns, so that a flood from one does not delay the
   * others.
   * @param network of the sender: `widestNetworkOf` its address
   * @throws errors of the database
   */
  take(ping: KeyedPing, network: string): Promise<PingAnswer>
  /** Waiting pings, and pings refused since the start. */
  readonly waiting: number
  readonly refused: number
  /** Waits for pings that are being recorded. */
  close(): Promise<void>
}

type Waiting = {
  ping: KeyedPing
  resolve(answer: PingAnswer): void
  reject(error: unknown): void
}

/**
 * Pings come in bursts, above all at the full minute. While a batch is written, new pings gather for the next
 * one.
 * @param record records all of them or none, and returns what became of them by ping key; missing: unknown
 */
export const createPingQueue = (
  record: (pings: readonly KeyedPing[]) => Promise<ReadonlyMap<string, PingAnswer>>,
): PingQueue => {
  const pool = createFairPool(requestPools.pings.bounds)
  const gathered: Waiting[] = []
  let working: Promise<void> | null = null

  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const known = await record(batch.map(({ ping }) => ping))
      for (const { ping, resolve } of batch) {
        resolve(known.get(ping.pingKey) ?? 'unknown')
      }
    } catch (error) {
      if (batch.length === 1 || isStoreRefusing(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      // a ping that cannot be recorded must not fail the others
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

  /** Pings that got a place from the last write may start another one. */
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
