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

/** Error codes by the names that ClickHouse gives them (`errorCodeToName`). */
const codesOf = (codes: Readonly<Record<string, number>>): ReadonlySet<string> =>
  new Set(Object.values(codes).map(String))

/**
 * Error codes with which ClickHouse refuses the data itself: parsing, types, ranges, enums. A missing table,
 * a wrong password or an overload is not among them: the operator fixes those while readings wait.
 */
const dataCodes = codesOf({
  CANNOT_PARSE_TEXT: 6,
  CANNOT_PARSE_ESCAPE_SEQUENCE: 25,
  CANNOT_PARSE_QUOTED_STRING: 26,
  CANNOT_PARSE_INPUT_ASSERTION_FAILED: 27,
  BAD_ARGUMENTS: 36,
  CANNOT_PARSE_DATE: 38,
  CANNOT_PARSE_DATETIME: 41,
  TYPE_MISMATCH: 53,
  ARGUMENT_OUT_OF_BOUND: 69,
  CANNOT_CONVERT_TYPE: 70,
  CANNOT_PARSE_NUMBER: 72,
  INCORRECT_DATA: 117,
  CANNOT_READ_ARRAY_FROM_TEXT: 130,
  TOO_LARGE_STRING_SIZE: 131,
  VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE: 321,
  CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN: 349,
  CANNOT_PARSE_UUID: 376,
  CANNOT_PARSE_BOOL: 467,
  UNKNOWN_ELEMENT_OF_ENUM: 691,
})

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
const passingCodes = codesOf({
  ATTEMPT_TO_READ_AFTER_EOF: 32,
  TIMEOUT_EXCEEDED: 159,
  TOO_SLOW: 160,
  DNS_ERROR: 198,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  SOCKET_TIMEOUT: 209,
  NETWORK_ERROR: 210,
  ABORTED: 236,
  MEMORY_LIMIT_EXCEEDED: 241,
  TABLE_IS_READ_ONLY: 242,
  TOO_MANY_PARTS: 252,
  ALL_CONNECTION_TRIES_FAILED: 279,
  TOO_FEW_LIVE_REPLICAS: 285,
  UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: 286,
  UNKNOWN_STATUS_OF_INSERT: 319,
  ALL_REPLICAS_ARE_STALE: 369,
  QUERY_WAS_CANCELLED: 394,
  KEEPER_EXCEPTION: 999,
})

/** Whether ClickHouse is temporarily unavailable or overloaded. The statement is not wrong. */
export const isClickHouseUnavailable = (error: unknown): boolean => {
  if (error instanceof ClickHouseError) return passingCodes.has(String(error.code))
  if (!(error instanceof Error)) return false
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)/.test(codeOf(error)) || /timeout|hang up/i.test(error.message)
  )
}

/** Server errors of a replica without tables: it was unavailable when they were created. */
const unmadeCodes = codesOf({
  UNKNOWN_TABLE: 60,
  UNKNOWN_DATABASE: 81,
})

/** Whether another replica may succeed. */
export const isForAnotherReplica = (error: unknown): boolean =>
  isClickHouseUnavailable(error) || (error instanceof ClickHouseError && unmadeCodes.has(String(error.code)))
