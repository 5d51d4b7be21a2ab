import { runLoop } from '@probe-mesh/runtime/loop'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Lease } from './leases-store.ts'
import { untilClosing } from '../retry.ts'

const failurePauseMs = 1_000

/** How many lives a loop has, as its metrics tell it. */
export const followedGauge = (registry: Registry, loop: string): Gauge =>
  new Gauge({
    name: `${loop}_partitions_followed`,
    help: 'Partitions that are followed: those held, and for moments those that are being left',
    registers: [registry],
  })

/** The lives of a loop's partitions: one for each lease it has. */
export type Tenancies = {
  /** Aborted when all of them are to end. */
  readonly closing: AbortSignal
  begin(lease: Lease): void
  /** Ends the life under this lease. @returns when it is over; null where there is none */
  end(lease: Lease): { over: Promise<void> } | null
  close(): Promise<void>
}

/**
 * Runs `hold` for each partition until its signal aborts. A failure that `hold` did not expect is a
 * bug: it is said, and the partition begun again rather than left lying.
 */
export const createTenancies = (capabilities: {
  hold(lease: Lease, signal: AbortSignal): Promise<void>
  log: Logger
  followed: Pick<Gauge, 'set'>
}): Tenancies => {
  const { hold, log, followed } = capabilities
  const closing = new AbortController()
  const lives = new Map<number, { lease: Lease; ending: AbortController; over: Promise<void> }>()
  const running = new Set<Promise<void>>()

  const live = (lease: Lease, signal: AbortSignal): Promise<void> =>
    runLoop({
      signal,
      round: untilClosing(async () => {
        await hold(lease, signal)
        return 'again'
      }),
      everyMs: failurePauseMs,
      onError: (error) => {
        log.error({ err: error, partition: lease.partition }, 'a partition failed; it begins again')
      },
    })

  return {
    closing: closing.signal,
    begin: (lease) => {
      const ending = new AbortController()
      const over = live(lease, anySignal([ending.signal, closing.signal]))
      running.add(over)
      followed.set(running.size)
      void over.finally(() => {
        running.delete(over)
        followed.set(running.size)
      })
      lives.set(lease.partition, { lease, ending, over })
    },
    end: (lease) => {
      const life = lives.get(lease.partition)
      if (life?.lease !== lease) return null
      lives.delete(lease.partition)
      life.ending.abort()
      return { over: life.over }
    },
    close: async () => {
      closing.abort()
      await Promise.all(running)
    },
  }
}
