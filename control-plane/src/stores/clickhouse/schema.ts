import { createHash } from 'node:crypto'

/** The cluster and database of a statement. */
type SchemaPlace = { cluster: string; database: string }

/** How long a replicated table remembers a token: longer than any outage after which an insert is retried. */
const deduplicationSeconds = 7 * 86_400

/** The database of a cluster's tables over all shards. A server's own rows are in another one. */
export const wholeDatabase = (database: string): string => `${database}_all`

/** The statements of a migration's file, in order. */
export const statementsOf = (text: string): string[] =>
  text.split(/;\s*$/m).filter((part) => part.trim() !== '')

const tableBegin = /create table if not exists (\w+)/
const viewBegin = /create materialized view if not exists (\w+)/
const engine = /^engine = ((?:Aggregating|Replacing|Summing)?MergeTree)$/m

/** The table that a statement creates; null if it creates none. */
export const tableOf = (statement: string): string | null => tableBegin.exec(statement)?.[1] ?? null

/** The view that a statement creates; null if it creates none. */
export const viewOf = (statement: string): string | null => viewBegin.exec(statement)?.[1] ?? null

/**
 * Converts a migration's statement from a single server to a replica of a cluster. Tables are replicated,
 * each under a path of its shard. A view has the same UUID on every replica: its id is part of the token by
 * which the view's target recognizes a repeated insert, which may reach another replica.
 * @throws Error if a table's engine is not recognized: it would not be replicated
 */
export const clusterStatement = (statement: string, place: SchemaPlace): string => {
  const view = viewOf(statement)
  if (view !== null) {
    return statement.replace(viewBegin, (begin) => `${begin} uuid '${uuidOf(place, view)}'`)
  }
  const table = tableOf(statement)
  if (table === null) return statement
  if (!engine.test(statement)) throw new Error(`the engine of ${table} cannot be replicated`)
  const path = `/probe-mesh/${place.cluster}/{shard}/${place.database}/${table}`
  return statement
    .replace(engine, (_, name: string) => `engine = Replicated${name}('${path}', '{replica}')`)
    .replace(
      /\bnon_replicated_deduplication_window = (\d+)/,
      `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${deduplicationSeconds}`,
    )
}

/**
 * A read-only table over all shards. Without a sharding key nothing can be inserted through it, because a
 * token would not reach the shard.
 */
export const wholeTableStatement = (table: string, { cluster, database }: SchemaPlace): string =>
  `create or replace table ${wholeDatabase(database)}.${table} as ${database}.${table} ` +
  `engine = Distributed('${cluster}', '${database}', '${table}')`

/** Always the same UUID for the same place and name. */
const uuidOf = ({ cluster, database }: SchemaPlace, name: string): string => {
  const hex = createHash('sha256').update(`${cluster}/${database}/${name}`).digest('hex')
  // version 8: a custom rule (RFC 9562, 5.8)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
