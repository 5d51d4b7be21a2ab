import type { Next } from '@probe-mesh/runtime/loop'
import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { retry } from '@probe-mesh/runtime/retry'
import type { Logger } from 'pino'
import { isRejectedByClickHouse } from './clickhouse/connect.ts'
import { faultsOf } from './faults.ts'
import { isRejectedByPostgres } from './postgres/rejected.ts'
import { isStoreRefusing } from './store-fault.ts'

const waits = { firstMs: 100, maxMs: 5_000 }

/** Ends a retry because its loop is closing. The work is left for the next start. */
export class Closing extends Error {
  override readonly name = 'Closing'
}

/** A round of a loop that ends the loop and leaves its work for the next start. */
export const untilClosing =
  (round: () => Promise<Next>): (() => Promise<Next>) =>
  async () => {
    try {
      return await round()
    } catch (error) {
      if (error instanceof Closing) return 'end'
      throw error
    }
  }

/** Whether a store refuses the values, or no statement can contain them, such as one that overflows the stack. */
const isRefusedValue = (error: unknown): boolean =>
  isRejectedByClickHouse(error) || isRejectedByPostgres(error) || error instanceof RangeError

/**
 * Whether the data caused a failure, in a database or in our own code: the same data fails again, and other
 * data may not. Any other failure is of a database, or of an invariant of ours.
 */
export const isOfTheData = (error: unknown): boolean =>
  isRefusedValue(error) || error instanceof TypeError || error instanceof SyntaxError

/** A store as loops name it. */
export type AskedStore = 'postgres' | 'clickhouse' | 'bus'

/**
 * Retries an attempt while its store refuses it for any other reason than the data, with doubling waits and half
 * jitter. Meanwhile it is a fault of the process.
 * @param options.what cannot be done meanwhile, for people
 * @throws Closing once the signal aborts, and an error of the data
 */
export const retryWhileRefused = async <T>(
  attempt: () => Promise<T>,
  options: { signal: AbortSignal; log: Logger; what: string; store: AskedStore; onWait?(): void },
): Promise<T> => {
  const { signal, log, what, store, onWait } = options
  const faults = faultsOf(log)
  const work = { what, store: store === 'bus' ? ('nats' as const) : store }
  try {
    return await retry(attempt, {
      signal,
      waitMs: (error, failures) => {
        if (isRefusedValue(error)) return null
        if (signal.aborted) throw new Closing('closing', { cause: error })
        faults.failed(work, error)
        onWait?.()
        return Math.round(halfJitter(backoffMs(waits, failures), Math.random()))
      },
    })
  } finally {
    faults.worked(work)
  }
}

/**
 * Repeats a step of the start while a store refuses it, such as a read-only Postgres. What it waits for is logged.
 * @param what the step cannot do, for people
 * @throws any error that waiting cannot help
 */
export const untilAccepted = async <T>(log: Logger, what: string, attempt: () => Promise<T>): Promise<T> => {
  const faults = faultsOf(log)
  const work = { what: `the start waits: ${what}` }
  try {
    return await retry(attempt, {
      waitMs: (error, failures) => {
        if (!isStoreRefusing(error)) return null
        faults.failed(work, error)
        return backoffMs(waits, failures)
      },
    })
  } finally {
    faults.worked(work)
  }
}
