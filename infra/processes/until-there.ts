import { setTimeout as pause } from 'node:timers/promises'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { isClickHouseAway } from '@probe-mesh/control-plane/clickhouse/connect'
import { isPostgresAway } from '@probe-mesh/control-plane/postgres/connect'
import type { Logger } from 'pino'

/** How long a program waits at its start for a server that does not answer yet, ms. */
const waitMsMax = 60_000
const retryMs = 500

/**
 * Tries until a server answers, since programs and servers are often started together. One that
 * answers and refuses (a wrong password, say) is not waited for.
 * @throws Error that names the server, with the last reason as its cause
 */
export const untilThere = async <T>(
  server: string,
  attempt: () => Promise<T>,
  log: Logger,
): Promise<T> => {
  const endsAt = performance.now() + waitMsMax
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      if (!isAway(cause)) {
        throw new Error(`${server} refuses: ${reason}`, { cause })
      }
      if (performance.now() >= endsAt) {
        throw new Error(`${server} did not answer within a minute: ${reason}`, { cause })
      }
      if (tries === 1) log.warn({ err: cause, server }, 'waiting for a server')
      await pause(retryMs)
    }
  }
}

/** What NATS refuses comes as itself, and what cannot be reached as BusUnavailable. */
const isAway = (error: unknown): boolean =>
  error instanceof BusUnavailable || isPostgresAway(error) || isClickHouseAway(error)
