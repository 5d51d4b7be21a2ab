import type { Sql, Transaction } from './connect.ts'

/** A table to copy: its stored columns, in a stable order. */
export type TableShape = { name: string; columns: string[] }

/** The content of a snapshot. */
export type DatabaseShape = {
  version: string
  /** In the order in which they were applied. */
  migrations: string[]
  /** A referenced table comes before the tables that refer to it. */
  tables: TableShape[]
  sequences: { name: string; last: number | null }[]
  /** Running error batches: the next control plane finishes or abandons each. */
  errorBatchesOpen: number
}

/** The limit of a copy, ms, instead of the limits of the pool. */
const snapshotMsMax = 6 * 3_600_000

/**
 * Tables that describe a running system and not its data: `migrations` is written by migrating, live control
 * planes change all the time, and a copy is a system with its own id.
 */
const notCopied = ['migrations', 'control_planes', 'system', 'schema_epoch']

/** Runs `work` on a snapshot of the database. */
export const inSnapshot = async <T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  const done = await sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx.unsafe(
      `set local statement_timeout = ${snapshotMsMax};
       set local idle_in_transaction_session_timeout = ${snapshotMsMax}`,
    )
    // the snapshot is taken by this statement
    await tx`select 1`
    return { value: await work(tx) }
  })
  return done.value
}

/** The tables, columns and sequences of a database, without unlogged tables, which a crash empties. */
export const describeDatabase = async (tx: Transaction): Promise<DatabaseShape> => {
  const [server] = await tx<{ version: string }[]>`
    select current_setting('server_version') as version`
  const migrations = await tx<{ name: string }[]>`select name from migrations order by name`
  const columns = await tx<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and c.relname <> all (${notCopied})
    order by c.relname, a.attnum`
  const references = await tx<{ table: string; target: string }[]>`
    select distinct c.relname as table, t.relname as target
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid`
  const sequences = await tx<{ name: string; last: string | null }[]>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = 'public' order by sequencename`
  const batches = await tx`select from error_batches`
  const tables = new Map<string, string[]>()
  for (const { table, column } of columns) {
    tables.set(table, [...(tables.get(table) ?? []), column])
  }
  return {
    version: server?.version ?? 'unknown',
    migrations: migrations.map((row) => row.name),
    tables: inReferenceOrder([...tables.keys()], references).map((name) => ({
      name,
      columns: tables.get(name) ?? [],
    })),
    sequences: sequences.map((row) => ({
      name: row.name,
      last: row.last === null ? null : Number(row.last),
    })),
    errorBatchesOpen: batches.length,
  }
}

/** Orders tables so that each follows those that it refers to. @throws Error on a circle */
export const inReferenceOrder = (
  names: readonly string[],
  references: readonly { table: string; target: string }[],
): string[] => {
  const targets = new Map(names.map((name) => [name, new Set<string>()]))
  for (const { table, target } of references) {
    if (targets.has(target)) targets.get(table)?.add(target)
  }
  const ordered: string[] = []
  while (targets.size > 0) {
    const next = [...targets].find(([, left]) => left.size === 0)?.[0]
    if (next === undefined)
      throw new Error(`the tables ${[...targets.keys()].join(', ')} refer to one another in a circle`)
    targets.delete(next)
    for (const left of targets.values()) left.delete(next)
    ordered.push(next)
  }
  return ordered
}

/** The size of a chunk of whole rows, bytes. */
const chunkBytes = 4 * 1024 * 1024

/** A table's rows as COPY writes them, in chunks of whole rows. */
export const copyOut = async function* (
  tx: Transaction,
  { name, columns }: TableShape,
): AsyncGenerator<Buffer> {
  const rows = await tx.unsafe(`copy (select ${listOf(columns)} from ${quoted(name)}) to stdout`).readable()
  let held: Buffer[] = []
  let bytes = 0
  for await (const piece of rows) {
    const part = Buffer.from(piece)
    held.push(part)
    bytes += part.length
    if (bytes < chunkBytes || part.at(-1) !== newline) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(held)
}

const newline = 0x0a

/** The number of rows in the output of COPY, which writes a line break only after a row. */
export const rowsInCopy = (chunk: Uint8Array): number => {
  let rows = 0
  for (const byte of chunk) if (byte === newline) rows++
  return rows
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const listOf = (names: readonly string[]): string => names.map(quoted).join(', ')
