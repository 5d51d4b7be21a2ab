import { pause } from '@probe-mesh/runtime/pause'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import { isPostgresAway } from '../../stores/postgres/connect.ts'

/** Longer than this no call waits for Postgres: it is decided without. */
const tripMsMaxDefault = 1_000
/** How long Postgres is left alone once a trip has failed. */
const awayMs = 1_000
/** Trips whose answer has not come, given up or not; fewer while Postgres is away. */
const tripsMax = 200
const tripsAwayMax = 2

export type Trips = {
  /** Whether Postgres may be asked at this moment. */
  open(): boolean
  /** The answer to a statement, or null where it failed or took too long. Never rejects. */
  run<T>(statement: () => Promise<T>): Promise<T | null>
  /** Notes calls that were decided without Postgres. */
  alone(calls: number): void
}

class TripTimeout extends Error {
  override readonly name = 'TripTimeout'
}

/**
 * The way to Postgres that calls wait on: bounded, and closed for a while when it does not answer.
 * @param tripMsMax longer in tests, where Postgres may be slow and is not away
 */
export const createTrips = (capabilities: {
  registry: Registry
  log: Logger
  now: () => number
  tripMsMax?: number | undefined
}): Trips => {
  const { registry, log, now, tripMsMax = tripMsMaxDefault } = capabilities
  const trips = new Counter({
    name: 'budget_trips_total',
    help: 'Trips to Postgres for the count of a budget, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const alone = new Counter({
    name: 'budget_calls_alone_total',
    help: 'Calls counted by this instance alone because Postgres was away or too slow',
    registers: [registry],
  })
  let underWay = 0
  let awayAtMs: number | null = null

  const fail = (error: unknown): null => {
    trips.inc({ outcome: 'failed' })
    if (!(error instanceof TripTimeout) && !isPostgresAway(error)) {
      log.error({ err: error }, 'a budget cannot be counted')
      return null
    }
    if (awayAtMs === null) {
      log.warn({ err: error }, 'budgets cannot be counted across instances; each counts alone')
    }
    awayAtMs = now()
    return null
  }

  return {
    open: () =>
      awayAtMs === null
        ? underWay < tripsMax
        : underWay < tripsAwayMax && now() - awayAtMs >= awayMs,
    run: async (statement) => {
      const answered = new AbortController()
      underWay += 1
      const answer = statement().finally(() => {
        underWay -= 1
        answered.abort()
      })
      const late = pause(tripMsMax, answered.signal).then(() => {
        if (answered.signal.aborted) return answer
        throw new TripTimeout(`no answer within ${tripMsMax} ms`)
      })
      try {
        const value = await Promise.race([answer, late])
        if (awayAtMs !== null) log.info('budgets are counted across instances again')
        awayAtMs = null
        trips.inc({ outcome: 'answered' })
        return value
      } catch (error) {
        return fail(error)
      }
    },
    alone: (calls) => alone.inc(calls),
  }
}
