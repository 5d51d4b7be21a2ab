import { runLoop } from '@probe-mesh/runtime/loop'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { Lease } from './leases-store.ts'
import { faultsOf } from '../faults.ts'
import { untilClosing } from '../retry.ts'

const failurePauseMs = 1_000

/** The number of partitions that a loop consumes. */
export const followedGauge = (registry: Registry, loop: string): Gauge =>
  new Gauge({
    name: `${loop}_partitions_followed`,
    help: 'Partitions this process consumes, including those it is handing over',
    registers: [registry],
  })

/** The runs of a loop: one for each lease that it works under. */
type Tenancies = {
  begin(lease: Lease): void
  /** Ends the run under this lease. @returns when it is over; null if there is none */
  end(lease: Lease): { over: Promise<void> } | null
  close(): Promise<void>
}

/**
 * Runs `hold` for each partition until its signal aborts. A failure that `hold` did not handle is a
 * bug: it is logged, and the partition is started again.
 */
export const createTenancies = (capabilities: {
  hold(lease: Lease, signal: AbortSignal): Promise<void>
  log: Logger
  followed: Pick<Gauge, 'set'>
}): Tenancies => {
  const { hold, log, followed } = capabilities
  const closing = new AbortController()
  const runs = new Map<number, { lease: Lease; ending: AbortController; over: Promise<void> }>()
  const running = new Set<Promise<void>>()

  const faults = faultsOf(log)
  const keepRunning = (lease: Lease, signal: AbortSignal): Promise<void> => {
    const work = { what: `partition ${lease.partition} cannot be followed` }
    return runLoop({
      signal,
      round: untilClosing(async () => {
        await hold(lease, signal)
        return 'again'
      }),
      everyMs: failurePauseMs,
      onError: (error) => faults.failed(work, error),
    }).finally(() => faults.worked(work))
  }

  return {
    begin: (lease) => {
      const ending = new AbortController()
      const over = keepRunning(lease, anySignal([ending.signal, closing.signal]))
      running.add(over)
      followed.set(running.size)
      void over.finally(() => {
        running.delete(over)
        followed.set(running.size)
      })
      runs.set(lease.partition, { lease, ending, over })
    },
    end: (lease) => {
      const run = runs.get(lease.partition)
      if (run?.lease !== lease) return null
      runs.delete(lease.partition)
      run.ending.abort()
      return { over: run.over }
    },
    close: async () => {
      closing.abort()
      await Promise.all(running)
    },
  }
}
