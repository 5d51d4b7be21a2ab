import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { ClickHouseClient } from '@clickhouse/client'

export type ClickHouse = ClickHouseClient

/**
 * One client over HTTP, whatever stands behind the URL.
 * @param url `http://user:password@host:port/database`
 */
export const connectClickHouse = (url: string): ClickHouse =>
  createClient({
    url,
    request_timeout: 30_000,
    max_open_connections: 8,
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
    compression: { request: false, response: false },
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      // 1 by default since 26.x: an acknowledgement must mean stored
      async_insert: 0,
      date_time_output_format: 'iso',
      output_format_json_quote_64bit_integers: 0,
    },
  })

/** Server errors that a retry can heal: timeouts, overload, memory, too many parts, shutting down. */
const passingCodes = new Set(['159', '160', '202', '209', '210', '241', '242', '252', '319', '394', '999'])

/**
 * Whether the store refused what it was given, so that the same again would be refused again.
 * Everything else (no connection, a timeout, overload) is worth repeating.
 */
export const isRejectedByClickHouse = (error: unknown): boolean =>
  error instanceof ClickHouseError && !passingCodes.has(String(error.code))
