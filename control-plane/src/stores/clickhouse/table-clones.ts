import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ClickHouse } from './connect.ts'
import { wholeDatabase } from './schema.ts'

/**
 * Tables with data. Views have none, `migrations` is written by migrating, and a copy is a separate system.
 */
const engines = /^(?:Replicated)?(?<kind>\w*MergeTree)$/
const notCloned = new Set(['migrations', 'system_id'])

/** The target size of a piece of a table, bytes, and the size from which a piece is divided. */
const pieceBytes = 8 * 1024 * 1024
const pieceBytesMax = 32 * 1024 * 1024
const pieceRowsMax = 200_000

type Definition = {
  name: string
  engine: string
  partition_key: string
  sorting_key: string
  columns: string[]
}

/** @throws Error if the database is a shard of a cluster: it has only a part of the rows */
const refuseShard = async (clickhouse: ClickHouse): Promise<void> => {
  const rows = await clickhouse.query({
    query: `select currentDatabase() as own, database, name from system.tables
      where engine = 'Distributed' order by database, name`,
    format: 'JSONEachRow',
  })
  const all = await rows.json<{ own: string; database: string; name: string }>()
  const shared = all.find(({ own, database }) => [own, wholeDatabase(own)].includes(database))
  if (shared === undefined) return
  throw new Error(
    `${shared.database}.${shared.name} is distributed over shards, and one server has only a part of it. Back up without readings here, and use BACKUP ON CLUSTER of ClickHouse for the readings.`,
  )
}

/** The tables with data, by name. @throws Error if the database is a shard of a cluster */
const definitions = async (clickhouse: ClickHouse): Promise<Definition[]> => {
  await refuseShard(clickhouse)
  const rows = await clickhouse.query({
    query: `select name, engine, partition_key, sorting_key, columns
      from system.tables join (
        select table, arrayMap(pair -> pair.2, arraySort(groupArray((position, name)))) as columns
        from system.columns
        where database = currentDatabase() and default_kind in ('', 'DEFAULT') group by table
      ) as columns_of on columns_of.table = name
      where database = currentDatabase() and not is_temporary order by name`,
    format: 'JSONEachRow',
  })
  const all = await rows.json<Definition>()
  return all.filter(({ name, engine }) => engines.test(engine) && !notCloned.has(name) && !isOurClone(name))
}

const prefix = 'probe_mesh_copy_'
const isOurClone = (name: string): boolean => name.startsWith(prefix)

/** @returns the tables with rows, by name */
export const filledTables = async (clickhouse: ClickHouse): Promise<string[]> => {
  const filled: string[] = []
  for (const { name } of await definitions(clickhouse)) {
    if ((await countRows(clickhouse, name)) > 0) filled.push(name)
  }
  return filled
}

export const countRows = async (clickhouse: ClickHouse, table: string): Promise<number> => {
  const rows = await clickhouse.query({
    query: 'select count() as rows from {table:Identifier}',
    query_params: { table },
    format: 'JSONEachRow',
  })
  const [row] = await rows.json<{ rows: number }>()
  return row?.rows ?? 0
}

/** A clone that shares the data of a table at the time of cloning. */
export type Clone = { table: string; clone: string; columns: string[] }

/**
 * Creates a table of the same form for each table. It is never merged, because it is read part by part, and
 * never expires, because its content belongs to an instant.
 */
const createBeside = async (clickhouse: ClickHouse): Promise<Clone[]> => {
  const clones: Clone[] = []
  for (const definition of await definitions(clickhouse)) {
    const { name, engine, columns, partition_key: partition, sorting_key: order } = definition
    const clone = `${prefix}${name}`
    const kind = engines.exec(engine)?.groups?.['kind'] ?? engine
    await clickhouse.command({ query: `drop table if exists ${clone} sync` })
    await clickhouse.command({
      query: `create table ${clone} as ${name} engine = ${kind}
        ${partition === '' ? '' : `partition by ${keyOf(partition)}`} order by ${keyOf(order)}
        settings max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1`,
    })
    clones.push({ table: name, clone, columns })
  }
  return clones
}

/** A key in the form of a definition: parts can be attached only between tables with equal keys. */
const keyOf = (key: string): string => {
  let depth = 0
  for (const character of key) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) return `(${key})`
  }
  return key === '' ? 'tuple()' : key
}

/**
 * Clones every table with data in two steps: the empty clones first, then `fill` attaches the current parts
 * of the tables, without a copy.
 */
export const prepareClones = async (
  clickhouse: ClickHouse,
): Promise<{ clones: Clone[]; fill(): Promise<void> }> => {
  const clones = await createBeside(clickhouse)
  return {
    clones,
    fill: async () => {
      await Promise.all(
        clones.map(({ table, clone }) =>
          clickhouse.command({ query: `alter table ${clone} attach partition all from ${table}` }),
        ),
      )
    },
  }
}

/** Creates empty tables into which a copy is loaded before the real tables change. */
export const prepareLanding = (clickhouse: ClickHouse): Promise<Clone[]> => createBeside(clickhouse)

/** Moves the loaded rows into the real tables, partition by partition, without triggering views. */
export const moveLandedRows = async (clickhouse: ClickHouse, clones: readonly Clone[]): Promise<void> => {
  for (const { table, clone } of clones) {
    await clickhouse.command({ query: `alter table ${table} attach partition all from ${clone}` })
  }
}

export const dropClones = async (clickhouse: ClickHouse, clones: readonly Clone[]): Promise<void> => {
  for (const { clone } of clones) {
    await clickhouse.command({ query: `drop table if exists ${clone} sync` })
  }
}

/** Empties tables again that were empty before. */
export const emptyTables = async (clickhouse: ClickHouse, tables: readonly string[]): Promise<void> => {
  for (const table of tables) await clickhouse.command({ query: `truncate table ${table} sync` })
}

type Part = { name: string; rows: number; bytes: number }

/**
 * All rows of a clone, with these columns, as tab-separated text in pieces of whole rows. Text, because chDB
 * drops zero bytes at the end of an insert.
 * @throws Error if the clone changed in between, which our code never does
 */
export const piecesOf = async function* (
  clickhouse: ClickHouse,
  { clone, columns }: Pick<Clone, 'clone' | 'columns'>,
): AsyncGenerator<Buffer> {
  const found = await clickhouse.query({
    query: `select name, rows, data_uncompressed_bytes as bytes from system.parts
      where database = currentDatabase() and table = {clone:String} and active order by name`,
    query_params: { clone },
    format: 'JSONEachRow',
  })
  for (const part of await found.json<Part>()) {
    const rowBytes = Math.max(1, part.bytes / Math.max(1, part.rows))
    const step = Math.min(pieceRowsMax, Math.max(1, Math.floor(pieceBytes / rowBytes)))
    for (let from = 0; from < part.rows; from += step) {
      const to = Math.min(part.rows, from + step)
      yield* readPiece(clickhouse, { clone, columns, part: part.name, from, to })
    }
  }
}

type Piece = { clone: string; columns: readonly string[]; part: string; from: number; to: number }

const readPiece = async function* (clickhouse: ClickHouse, piece: Piece): AsyncGenerator<Buffer> {
  const { clone, columns, part, from, to } = piece
  const { stream } = await clickhouse.exec({
    query: `select ${listOf(columns)} from {clone:Identifier}
      where _part = {part:String} and _part_offset >= {from:UInt64} and _part_offset < {to:UInt64}
      format TabSeparated`,
    query_params: { clone, part, from, to },
    clickhouse_settings: plainText,
  })
  const bytes = await buffer(stream)
  if (bytes.length > pieceBytesMax && to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    yield* readPiece(clickhouse, { ...piece, to: middle })
    yield* readPiece(clickhouse, { ...piece, from: middle })
    return
  }
  const rows = rowsInText(bytes)
  if (rows !== to - from) throw new Error(`${clone} returned ${rows} of ${to - from} rows of ${part}`)
  yield bytes
}

/** The number of rows in tab-separated text, which escapes line breaks within values. */
export const rowsInText = (bytes: Uint8Array): number => {
  let rows = 0
  for (const byte of bytes) if (byte === 0x0a) rows++
  return rows
}

/** The form in which ClickHouse reads its own output, independent of the client's settings. */
const plainText = {
  date_time_output_format: 'simple',
  date_time_input_format: 'basic',
} as const

const listOf = (columns: readonly string[]): string =>
  columns.map((name) => `\`${name.replaceAll('`', '')}\``).join(', ')

/** Inserts a piece into a table. */
export const insertPiece = async (
  clickhouse: ClickHouse,
  { clone, columns }: Pick<Clone, 'clone' | 'columns'>,
  bytes: Uint8Array,
): Promise<void> => {
  const { stream } = await clickhouse.exec({
    query: `insert into ${clone} (${listOf(columns)}) format TabSeparated\n`,
    values: Readable.from([bytes]),
    clickhouse_settings: { ...plainText, wait_end_of_query: 1, insert_deduplicate: 0 },
  })
  await buffer(stream)
}
