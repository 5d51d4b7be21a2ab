import { readdir, readFile } from 'node:fs/promises'
import { statementsOf, tableOf, viewOf } from './schema.ts'
import type { ClickHouseNode } from './shard.ts'

const folder = new URL('migrations/', import.meta.url)

/** How to apply a migration's statements to a server of a cluster. */
type MigrationWay = {
  write(statement: string): Promise<string>
  /** Runs after each file, before the file counts as applied. */
  afterFile(): Promise<void>
}

const singleServer: MigrationWay = {
  write: async (statement) => statement,
  afterFile: async () => {},
}

/** The migrations of this version, in the order in which they are applied. */
export const clickhouseMigrations = async (): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()

export const migrationText = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8')

/** The migrations that a database has, in order. None if it was never migrated. */
export const appliedClickHouseMigrations = async (
  clickhouse: Pick<ClickHouseNode, 'query'>,
): Promise<string[]> => {
  const tables = await clickhouse.query({
    query: `select name from system.tables where database = currentDatabase() and name = 'migrations'`,
    format: 'JSONEachRow',
  })
  if ((await tables.json()).length === 0) return []
  const rows = await clickhouse.query({
    query: 'select distinct name from migrations order by name',
    format: 'JSONEachRow',
  })
  return (await rows.json<{ name: string }>()).map((row) => row.name)
}

/**
 * Migrates a server's database to the newest migration. ClickHouse has no transactions for definitions, so
 * every statement is idempotent (`if not exists`), and a file's row is written after all its statements.
 * @param options.names only these: the state of an earlier version
 */
export const migrateClickHouse = async (
  clickhouse: Pick<ClickHouseNode, 'command' | 'query' | 'insert'>,
  options: { names?: readonly string[]; way?: MigrationWay } = {},
): Promise<void> => {
  const { way = singleServer } = options
  await clickhouse.command({
    query:
      'create table if not exists migrations (name String, applied_at DateTime default now()) engine = MergeTree order by name',
  })
  const applied = new Set(await appliedClickHouseMigrations(clickhouse))
  for (const name of options.names ?? (await clickhouseMigrations())) {
    if (applied.has(name)) continue
    for (const statement of statementsOf(await migrationText(name))) {
      try {
        await clickhouse.command({ query: await way.write(statement) })
      } catch (cause) {
        throw new Error(`migration ${name} failed at: ${statement.trim().slice(0, 80)}`, { cause })
      }
    }
    await way.afterFile()
    await clickhouse.insert({ table: 'migrations', values: [{ name }], format: 'JSONEachRow' })
  }
}

/** A table or view that migrations created and the server lacks. */
export type MissingClickHouseTable = {
  table: string
  /** A table that no migration created and that has the same sorting key, as after a rename; null: none. */
  renamedTo: string | null
}

const sortingKey = /^order by \(([^)]*)\)/m

/** The tables and views of this version that a fully migrated server lacks. */
export const missingClickHouseTables = async (
  clickhouse: Pick<ClickHouseNode, 'query'>,
): Promise<MissingClickHouseTable[]> => {
  const texts = await Promise.all((await clickhouseMigrations()).map(migrationText))
  const keys = new Map(
    texts.flatMap(statementsOf).flatMap((statement): [string, string][] => {
      const table = tableOf(statement) ?? viewOf(statement)
      return table === null ? [] : [[table, sortingKey.exec(statement)?.[1] ?? '']]
    }),
  )
  const rows = await clickhouse.query({
    query: `select name, sorting_key as key from system.tables
      where database = currentDatabase() and (engine like '%MergeTree' or engine = 'MaterializedView')`,
    format: 'JSONEachRow',
  })
  const present = await rows.json<{ name: string; key: string }>()
  return [...keys]
    .filter(([table]) => !present.some(({ name }) => name === table))
    .map(([table, key]) => ({
      table,
      renamedTo: present.find((one) => !keys.has(one.name) && one.key === key && key !== '')?.name ?? null,
    }))
}
