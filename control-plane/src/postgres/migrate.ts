import { readdir, readFile } from 'node:fs/promises'
import type { Sql } from './connect.ts'

const folder = new URL('migrations/', import.meta.url)

/** Any constant will do, as long as every migrator takes the same advisory lock. */
const migrationLock = 727_001

/**
 * Brings the database to the newest migration: plain SQL files in name order, each in a
 * transaction with its row in `migrations`, one migrator at a time. Migrations are append-only.
 */
export const migratePostgres = async (sql: Sql): Promise<void> => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${migrationLock})`
    await tx`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const applied = new Set(
      (await tx<{ name: string }[]>`select name from migrations`).map((row) => row.name),
    )
    for (const name of files) {
      if (applied.has(name)) continue
      const text = await readFile(new URL(name, folder), 'utf8')
      try {
        await tx`insert into migrations (name) values (${name})`
        await tx.unsafe(text)
      } catch (cause) {
        throw new Error(`migration ${name} failed; nothing of it was kept`, { cause })
      }
    }
  })
}
