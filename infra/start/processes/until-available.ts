import { setTimeout as pause } from 'node:timers/promises'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { isClickHouseUnavailable } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { isPostgresUnavailable } from '@probe-mesh/control-plane/stores/postgres/connect'
import { storeFaultOf } from '@probe-mesh/control-plane/stores/store-fault'
import type { Logger } from 'pino'
import { timeoutRemedy, permanentRemedy, refusalLine, type ServerName } from './server-remedies.ts'

/** How long a program waits for its servers at the start, ms. */
const waitMsMax = 60_000
const retryMs = 500
/** How often a wait without end is logged, ms. */
const sayMs = 60_000

/**
 * Tries until a server answers, because programs and servers often start together. Waits without end for one that
 * is read-only or has a full disk, and says so. Fails at once if the server refuses, for example a wrong password.
 * @param options.url of the server, for the remedy
 * @throws Error that names the server and what to do, with the last failure as its cause
 */
export const untilAvailable = async <T>(
  server: ServerName,
  attempt: () => Promise<T>,
  log: Logger,
  options: { url?: string; waitMs?: number } = {},
): Promise<T> => {
  const { url = null, waitMs = waitMsMax } = options
  let endsAt = performance.now() + waitMs
  let saidAtMs = Number.NEGATIVE_INFINITY
  let reported: unknown = null
  for (;;) {
    try {
      return await attempt()
    } catch (cause) {
      if (passes(cause)) {
        if (performance.now() >= saidAtMs + sayMs) {
          saidAtMs = performance.now()
          log.warn({ server }, `the start waits: ${refusalLine(server, cause, url)}`)
        }
        endsAt = performance.now() + waitMs
        await pause(retryMs)
        continue
      }
      if (!isUnavailable(cause) || permanentRemedy(server, cause) !== null) {
        throw new Error(refusalLine(server, cause, url), { cause })
      }
      const isFirst = reported === null
      // after repeated refusals a driver reports only a timeout
      if (isFirst || !isTimeout(cause)) reported = cause
      if (performance.now() >= endsAt) throw timeoutError(server, reported, waitMs)
      if (isFirst) {
        log.warn({ err: cause, server, remedy: timeoutRemedy(server, cause) }, 'waiting for a server')
      }
      await pause(retryMs)
    }
  }
}

const timeoutError = (server: ServerName, cause: unknown, waitMs: number): Error => {
  const within = waitMs === waitMsMax ? 'a minute' : `${waitMs} ms`
  const text = `${server} did not answer within ${within}: ${messageOf(cause)}.`
  return new Error(`${text} ${timeoutRemedy(server, cause)}`, { cause })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isTimeout = (error: unknown): boolean => /timeout/i.test(messageOf(error))

/** Postgres answers and accepts no writes. */
export class ReadOnly extends Error {
  override readonly name = 'ReadOnly'
  readonly code = '25006'
}

/** An operator ends these without a change of our settings. NATS also says so of a limit in its configuration. */
const passes = (error: unknown): boolean => {
  const fault = storeFaultOf(error)
  const isOfDatabase = fault !== null && fault.store !== 'nats'
  return error instanceof ReadOnly || (isOfDatabase && ['read_only', 'disk_full'].includes(fault.state))
}

/** Refusals of NATS keep their error; an unreachable server is BusUnavailable. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof BusUnavailable || isPostgresUnavailable(error) || isClickHouseUnavailable(error)
