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
    // long lists of parameters do not fit into a URL
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      // 1 by default since 26.x: an acknowledgement must mean stored
      async_insert: 0,
      date_time_output_format: 'iso',
      output_format_json_quote_64bit_integers: 0,
    },
  })

/**
 * Error codes by which ClickHouse says that the data itself cannot be stored: parsing, types,
 * ranges, enums. A missing table, a wrong password or an overload is not among them: those are the
 * operator's to heal while readings wait.
 */
const dataCodes = new Set(
  [6, 25, 26, 27, 36, 38, 41, 53, 69, 70, 72, 117, 130, 131, 321, 349, 376, 467, 691].map(String),
)

/** Whether the store refused what it was given, so that the same again would be refused again. */
export const isRejectedByClickHouse = (error: unknown): boolean =>
  error instanceof ClickHouseError && dataCodes.has(String(error.code))

/** Server errors that pass by themselves: timeouts, overload, memory, too many parts, shutting down. */
const passingCodes = new Set([159, 160, 202, 209, 210, 241, 242, 252, 319, 394, 999].map(String))

/** Whether the store is away or overloaded for the moment: nothing is wrong with what was asked. */
export const isClickHouseAway = (error: unknown): boolean => {
  if (error instanceof ClickHouseError) return passingCodes.has(String(error.code))
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)/.test(code) || /timeout|hang up/i.test(error.message)
  )
}
