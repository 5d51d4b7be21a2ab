import { readdir, readFile } from 'node:fs/promises'
import type { ClickHouse } from './connect.ts'

const folder = new URL('migrations/', import.meta.url)

/**
 * Brings the database to the newest migration. ClickHouse has no transactions over definitions:
 * every statement is idempotent (`if not exists`), and a file's row is written after all of it.
 */
export const migrateClickHouse = async (clickhouse: ClickHouse): Promise<void> => {
  await clickhouse.command({
    query:
      'create table if not exists migrations (name String, applied_at DateTime default now()) engine = MergeTree order by name',
  })
  const rows = await clickhouse.query({
    query: 'select name from migrations',
    format: 'JSONEachRow',
  })
  const applied = new Set((await rows.json<{ name: string }>()).map((row) => row.name))
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()) {
    if (applied.has(name)) continue
    const text = await readFile(new URL(name, folder), 'utf8')
    for (const statement of text.split(/;\s*$/m).filter((part) => part.trim() !== '')) {
      try {
        await clickhouse.command({ query: statement })
      } catch (cause) {
        throw new Error(`migration ${name} failed at: ${statement.trim().slice(0, 80)}`, { cause })
      }
    }
    await clickhouse.insert({ table: 'migrations', values: [{ name }], format: 'JSONEachRow' })
  }
}
