import { readdir, readFile } from 'node:fs/promises'
import { statementsOf } from './schema.ts'
import type { ClickHouseNode } from './shard.ts'

const folder = new URL('migrations/', import.meta.url)

/** What becomes of a migration's statements where the server is one of a cluster. */
export type MigrationWay = {
  write(statement: string): Promise<string>
  /** Follows each file, before it counts as applied. */
  afterFile(): Promise<void>
}

const byItself: MigrationWay = {
  write: async (statement) => statement,
  afterFile: async () => {},
}

/**
 * Brings a server's database to the newest migration. ClickHouse has no transactions over definitions:
 * every statement is idempotent (`if not exists`), and a file's row is written after all of it.
 */
export const migrateClickHouse = async (
  clickhouse: Pick<ClickHouseNode, 'command' | 'query' | 'insert'>,
  way: MigrationWay = byItself,
): Promise<void> => {
  await clickhouse.command({
    query:
      'create table if not exists migrations (name String, applied_at DateTime default now()) engine = MergeTree order by name',
  })
  const rows = await clickhouse.query({
    query: 'select name from migrations',
    format: 'JSONEachRow',
  })
  const applied = new Set((await rows.json<{ name: string }>()).map((row) => row.name))
  for (const name of await migrationNames()) {
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

/** In the order in which they are applied. */
export const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()

export const migrationText = (name: string): Promise<string> =>
  readFile(new URL(name, folder), 'utf8')
