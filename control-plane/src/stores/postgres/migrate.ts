import { codeOf, messageOf } from '@probe-mesh/runtime/errors'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { baselineFile, baselineMigrations, beforeBaseline } from './baseline.ts'
import type { Sql, Transaction } from './connect.ts'

const folder = new URL('migrations/', import.meta.url)

/** Any constant: every migrator must use the same advisory lock. */
const migrationLock = 727_001

/**
 * A statement that waits for a table's lock blocks all later statements on the table. So it waits briefly,
 * lets the others pass, and retries.
 */
const lockMsMax = 500
const pauseMs = 500
const attemptsMax = 120
/** The errors of a lock wait that timed out and of a deadlock. */
const passingCodes = new Set(['55P03', '40P01'])

const notPermitted = '42501'
const mayCreateRoles =
  'The first start creates the roles probe_mesh_account and probe_mesh_system. Allow this as a superuser, for the role of DATABASE_URL: alter role ROLE createrole. If those roles exist already, also: grant probe_mesh_account, probe_mesh_system to ROLE.'

type Migration = { name: string; text: string }

/**
 * The migrations after the baseline, in the order in which they are applied. A file is one, or has several, each under
 * a line `-- migration NAME`.
 */
export const laterMigrations = async (): Promise<Migration[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql') && file !== baselineFile)
  const texts = await Promise.all(files.toSorted().map(async (file) => ({ file, text: await textOf(file) })))
  return texts.flatMap(({ file, text }) => {
    const [, ...parts] = text.split(/^-- migration (\S+)\n/m)
    const found = parts.flatMap((part, at) =>
      at % 2 === 0 ? [{ name: part, text: parts[at + 1] ?? '' }] : [],
    )
    return found.length === 0 ? [{ name: file, text }] : found
  })
}

const textOf = (file: string): Promise<string> => readFile(new URL(file, folder), 'utf8')

/** The names of this version's migrations, in the order in which they are applied. */
export const postgresMigrations = async (): Promise<string[]> => [
  ...baselineMigrations,
  ...(await laterMigrations()).map(({ name }) => name),
]

/** The migrations that a database has, in order. None if it was never migrated. */
export const appliedPostgresMigrations = async (sql: Sql): Promise<string[]> => {
  const [table] = await sql<{ name: string | null }[]>`
    select to_regclass('public.migrations')::text as name`
  if ((table?.name ?? null) === null) return []
  const rows = await sql<{ name: string }[]>`select name from migrations order by name`
  return rows.map((row) => row.name)
}

/**
 * Migrates the database to the newest migration while the previous version runs: the baseline on an empty one, then
 * plain SQL in the order of names, each in its own transaction with its row in `migrations`, one migrator at a time,
 * with short lock waits. Migrations are append-only.
 * @param options.names only these, which include the baseline: the state of an earlier version
 * @throws Error that names the failed migration, which was rolled back; earlier ones are kept. Error for a database
 * from before the baseline, which stays as it is
 */
export const migratePostgres = async (
  sql: Sql,
  options: { names?: readonly string[] } = {},
): Promise<void> => {
  const applied = new Set(await appliedPostgresMigrations(sql))
  const names = new Set(options.names ?? (await postgresMigrations()))
  const lacking = baselineMigrations.find((name) => !names.has(name))
  if (lacking !== undefined) throw tooEarly(lacking)
  if (!baselineMigrations.every((name) => applied.has(name)))
    await applyPatiently(sql, baselineFile, baselineMigrations, await textOf(baselineFile))
  for (const { name, text } of await laterMigrations()) {
    if (names.has(name) && !applied.has(name)) await applyPatiently(sql, name, [name], text)
  }
}

class TooEarly extends Error {}

const tooEarly = (lacking: string): Error =>
  new TooEarly(`The database lacks the migration ${lacking}: ${beforeBaseline}. Nothing was changed.`)

/** @param names what it stands for */
const applyPatiently = async (
  sql: Sql,
  file: string,
  names: readonly string[],
  text: string,
): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.begin((tx) => apply(tx, names, text))
      return
    } catch (error) {
      if (error instanceof TooEarly) throw error
      if (attempt < attemptsMax && passingCodes.has(codeOf(error))) {
        await wait(pauseMs)
        continue
      }
      const why = messageOf(error)
      const next = codeOf(error) === notPermitted ? ` ${mayCreateRoles}` : ''
      throw new Error(`migration ${file} failed and was rolled back: ${why}.${next}`, {
        cause: error,
      })
    }
  }
}

const apply = async (tx: Transaction, names: readonly string[], text: string): Promise<void> => {
  await tx`select pg_advisory_xact_lock(${migrationLock})`
  await tx`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
  const rows = await tx<{ name: string }[]>`select name from migrations`
  const lacking = names.find((name) => !rows.some((row) => row.name === name))
  if (lacking === undefined) return
  // the baseline is for an empty database only
  if (names.length > 1 && rows.length > 0) throw tooEarly(lacking)
  await tx`insert into migrations ${tx(names.map((name) => ({ name })))}`
  // after the advisory lock, which may wait for the whole run of another migrator
  await tx.unsafe(`set local lock_timeout = ${lockMsMax}`)
  await tx.unsafe(text)
}

/** A table that migrations created and the database lacks. */
export type MissingTable = {
  name: string
  /** An unknown table that looks like it, as after a rename; null: none. */
  renamedTo: string | null
}

/** The tables that these migrations create. */
export const tablesOfMigrations = (texts: readonly string[]): string[] => {
  const names = new Set<string>()
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, does, name] = /^(create|drop) table (?:if (?:not )?exists )?(\w+)/i.exec(line.trim()) ?? []
    if (name === undefined) continue
    if (does?.toLowerCase() === 'create') names.add(name)
    else names.delete(name)
  }
  return [...names].toSorted()
}

/** The tables that the migrations create, without their own list. */
export const migratedTables = async (): Promise<string[]> => {
  const later = await laterMigrations()
  return tablesOfMigrations([await textOf(baselineFile), ...later.map(({ text }) => text)])
}

/** Those of the migrations' tables, and their own list, that a fully migrated database lacks. */
export const missingTables = async (sql: Sql, migrated: readonly string[]): Promise<MissingTable[]> => {
  const expected = ['migrations', ...migrated]
  const rows = await sql<{ name: string; constraint: string | null }[]>`
    select t.relname as name, (
      select k.conname from pg_constraint k where k.conrelid = t.oid and k.contype = 'p') as constraint
    from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')`
  const present = new Map(rows.map(({ name, constraint }) => [name, constraint]))
  return expected
    .filter((name) => !present.has(name))
    .map((name) => ({
      name,
      // a primary key keeps its name when its table is renamed
      renamedTo:
        rows.find((row) => !expected.includes(row.name) && row.constraint === `${name}_pkey`)?.name ?? null,
    }))
}
