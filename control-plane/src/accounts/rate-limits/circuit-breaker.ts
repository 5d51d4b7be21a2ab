import { createMetrics } from '@probe-mesh/runtime/metrics'
import { pause } from '@probe-mesh/runtime/pause'
import type { LoopContext } from '../../stores/loop-context.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'

/** A call waits this long for Postgres; then it is decided locally. */
const queryMsMaxDefault = 1_000
/** How long no query is sent after one has failed. */
const retryMs = 1_000
/** Queries in flight, timed out or not; fewer while Postgres is temporarily unavailable. */
const queriesMax = 200
const queriesAfterFailureMax = 2

export type CircuitBreaker = {
  /** Whether a query may be sent now. */
  canQuery(): boolean
  /** @returns the result of a statement, or null when it failed or timed out. Never rejects. */
  run<T>(statement: () => Promise<T>): Promise<T | null>
  /** Counts calls that were decided without Postgres. */
  countLocal(calls: number): void
}

class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout'
}

/**
 * Bounds the queries that calls wait for, and sends none for a while after one has failed.
 * @param queryMsMax longer in tests, where Postgres may be slow but is available
 */
export const createCircuitBreaker = (
  capabilities: Omit<LoopContext, 'sql'> & { queryMsMax?: number | undefined },
): CircuitBreaker => {
  const { registry, log, now, queryMsMax = queryMsMaxDefault } = capabilities
  const metric = createMetrics(registry)
  const queries = metric.counter(
    'budget_trips_total',
    'Queries to Postgres that count a quota, by outcome',
    'outcome',
  )
  const decidedLocally = metric.counter(
    'budget_calls_alone_total',
    'Calls counted by this instance alone because Postgres was unavailable or too slow',
  )
  let inFlight = 0
  let failedAtMs: number | null = null

  const fail = (error: unknown): null => {
    queries.inc({ outcome: 'failed' })
    if (!(error instanceof QueryTimeout) && !isStoreRefusing(error)) {
      log.error({ err: error }, 'a quota cannot be counted')
      return null
    }
    if (failedAtMs === null) {
      log.warn({ err: error }, 'quotas cannot be counted across instances; each instance counts alone')
    }
    failedAtMs = now()
    return null
  }

  return {
    canQuery: () =>
      failedAtMs === null
        ? inFlight < queriesMax
        : inFlight < queriesAfterFailureMax && now() - failedAtMs >= retryMs,
    run: async (statement) => {
      const answered = new AbortController()
      inFlight += 1
      const answer = statement().finally(() => {
        inFlight -= 1
        answered.abort()
      })
      const late = pause(queryMsMax, answered.signal).then(() => {
        if (answered.signal.aborted) return answer
        throw new QueryTimeout(`no answer within ${queryMsMax} ms`)
      })
      try {
        const value = await Promise.race([answer, late])
        if (failedAtMs !== null) log.info('quotas are counted across instances again')
        failedAtMs = null
        queries.inc({ outcome: 'answered' })
        return value
      } catch (error) {
        return fail(error)
      }
    },
    countLocal: (calls) => decidedLocally.inc(calls),
  }
}
