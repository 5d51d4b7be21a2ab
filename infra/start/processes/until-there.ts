import { setTimeout as pause } from 'node:timers/promises'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { isClickHouseUnavailable } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { isPostgresUnavailable } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Logger } from 'pino'
import { absenceRemedy, lastingRemedy, refusalLine } from './server-remedies.ts'
import type { ServerName } from './server-remedies.ts'

/** How long a program waits at its start for a server that does not answer yet, ms. */
const waitMsMax = 60_000
const retryMs = 500

/**
 * Tries until a server answers, since programs and servers are often started together. One that
 * answers and refuses (a wrong password, say) is not waited for.
 * @param options.url where the server is, for a remedy that names it
 * @throws Error that names the server and what to do, with the last reason as its cause
 */
export const untilThere = async <T>(
  server: ServerName,
  attempt: () => Promise<T>,
  log: Logger,
  options: { url?: string; waitMs?: number } = {},
): Promise<T> => {
  const { url = null, waitMs = waitMsMax } = options
  const endsAt = performance.now() + waitMs
  let told: unknown = null
  for (;;) {
    try {
      return await attempt()
    } catch (cause) {
      if (!isAway(cause) || lastingRemedy(server, cause) !== null) {
        throw new Error(refusalLine(server, cause, url), { cause })
      }
      const isFirst = told === null
      // a driver that has been refused often enough says no more than that it took too long
      if (isFirst || !isTimeout(cause)) told = cause
      if (performance.now() >= endsAt) throw neverThere(server, told, waitMs)
      if (isFirst) {
        log.warn({ err: cause, server, remedy: absenceRemedy(server, cause) }, 'waiting for a server')
      }
      await pause(retryMs)
    }
  }
}

const neverThere = (server: ServerName, cause: unknown, waitMs: number): Error => {
  const within = waitMs === waitMsMax ? 'a minute' : `${waitMs} ms`
  const text = `${server} did not answer within ${within}: ${messageOf(cause)}.`
  return new Error(`${text} ${absenceRemedy(server, cause)}`, { cause })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isTimeout = (error: unknown): boolean => /timeout/i.test(messageOf(error))

/** What NATS refuses comes as itself, and what cannot be reached as BusUnavailable. */
const isAway = (error: unknown): boolean =>
  error instanceof BusUnavailable || isPostgresUnavailable(error) || isClickHouseUnavailable(error)
