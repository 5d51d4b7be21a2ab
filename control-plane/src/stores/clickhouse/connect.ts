import { codeOf } from '@probe-mesh/runtime/errors'
import {
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
} from '@clickhouse/client'
import type { ClickHouseNode, Shard } from './shard.ts'

/** A server, or a cluster that is read as one. */
export type ClickHouse = Pick<
  ClickHouseClient,
  'query' | 'command' | 'insert' | 'exec' | 'ping' | 'close'
> & {
  /** The shards for writes, chosen by `shardOf`. */
  readonly shards: readonly Shard[]
  /**
   * Whether its tables are replicated. Replicated tables write a token and its rows atomically, also in the
   * target of a view, so rows inserted again under a token are stored once.
   */
  readonly isReplicated: boolean
}

export type Insert = Parameters<ClickHouseNode['insert']>[0]

/**
 * A single server.
 * @param url `http://user:password@host:port/database`
 */
export const connectClickHouse = (url: string): ClickHouse & ClickHouseNode => {
  const node = connectNode(url)
  const shard: Shard = { use: (act) => act(node), useCurrent: (_table, act) => act(node) }
  return Object.assign(node, { shards: [shard], isReplicated: false })
}

/** One client over HTTP for any URL. @param settings in addition to our own */
export const connectNode = (url: string, settings: ClickHouseSettings = {}): ClickHouseNode =>
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
      ...settings,
    },
  })

/**
 * Error codes with which ClickHouse refuses the data itself: parsing, types, ranges, enums. A missing table,
 * a wrong password or an overload is not among them: the operator fixes those while readings wait.
 */
const dataCodes = new Set(
  [6, 25, 26, 27, 36, 38, 41, 53, 69, 70, 72, 117, 130, 131, 321, 349, 376, 467, 691].map(String),
)

/** The code and message of an error that ClickHouse itself reports; null for any other. */
export const clickhouseErrorOf = (error: unknown): { code: string; message: string } | null =>
  error instanceof ClickHouseError ? { code: String(error.code), message: error.message } : null

/** Whether ClickHouse refused the data, so that a retry would be refused again. */
export const isRejectedByClickHouse = (error: unknown): boolean =>
  error instanceof ClickHouseError && dataCodes.has(String(error.code))

/**
 * Temporary server errors: timeouts, overload, memory, too many parts, shutdown; in a cluster also a shard
 * without an available replica, too few replicas or replicas too far behind, Keeper.
 */
const passingCodes = new Set(
  [32, 159, 160, 198, 202, 209, 210, 236, 241, 242, 252, 279, 285, 286, 319, 369, 394, 999].map(String),
)

/** Whether ClickHouse is temporarily unavailable or overloaded. The statement is not wrong. */
export const isClickHouseUnavailable = (error: unknown): boolean => {
  if (error instanceof ClickHouseError) return passingCodes.has(String(error.code))
  if (!(error instanceof Error)) return false
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)/.test(codeOf(error)) || /timeout|hang up/i.test(error.message)
  )
}

/** Server errors of a replica without tables: it was unavailable when they were created. */
const unmadeCodes = new Set([60, 81].map(String))

/** Whether another replica may succeed. */
export const isForAnotherReplica = (error: unknown): boolean =>
  isClickHouseUnavailable(error) || (error instanceof ClickHouseError && unmadeCodes.has(String(error.code)))
