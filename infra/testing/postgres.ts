import { setTimeout as wait } from 'node:timers/promises'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { beforeAll, inject } from 'vitest'
import { closeWithFile } from './close-with-file.ts'
import { databaseName, withDatabase } from './database-name.ts'
import { isEmptied, readContent, type Content } from './empty-database.ts'

const template = 'migrated'
/** Any constant, the same for all workers of a run. */
const templateLock = 727_002
/** How long the server may keep a closed connection. */
const disconnectMs = 5_000
const disconnectPollMs = 10

export type TestDatabase = {
  readonly url: string
  /** Opens a pool that ends before the database closes. */
  connect(options?: Parameters<typeof connectPostgres>[1]): Sql
  /** Runs after the file too. @throws Error that names the open connections of a test; the database is dropped anyway */
  close(): Promise<void>
}

/** A database for the tests of a file: read it in hooks and tests. */
export const useTestDatabase = (): TestDatabase => {
  const database = {} as TestDatabase
  beforeAll(async () => void Object.assign(database, await createTestDatabase()))
  return database
}

/** The databases that earlier tests of this process used and that are as new again. */
const emptied: string[] = []
/** What a new database contains. It is the same for all of a run. */
let content: Content | null = null

/** A migrated database in the Postgres of the test run, with nothing but what the migrations put there. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const server = inject('postgresUrl')
  const name = emptied.pop() ?? (await createDatabase(server))
  const url = withDatabase(server, name)
  const pools: Sql[] = []
  return {
    url,
    connect: (options) => {
      const sql = connectPostgres(url, options)
      pools.push(sql)
      return sql
    },
    close: closeWithFile(async () => {
      await Promise.all(pools.map((sql) => sql.end()))
      const leaked = await withServer(server, (sql) => openConnections(sql, name))
      if (leaked.length === 0 && (await isReusable(server, name))) {
        emptied.push(name)
        return
      }
      await withServer(server, (sql) => sql`drop database ${sql(name)} with (force)`)
      if (leaked.length === 0) return
      throw new Error(
        `${leaked.length} connections to the database of the test are open: ${leaked.join('; ')}`,
      )
    }),
  }
}

const createDatabase = async (server: string): Promise<string> => {
  const name = databaseName()
  await withServer(server, async (sql) => {
    await ensureTemplate(sql, server)
    await sql`create database ${sql(name)} template ${sql(template)}`
  })
  content ??= await withServer(withDatabase(server, name), readContent)
  return name
}

/** Empties the database, which is faster than a new one. A test that changed the schema gets no second use. */
const isReusable = async (server: string, name: string): Promise<boolean> => {
  const made = content
  return made !== null && withServer(withDatabase(server, name), (sql) => isEmptied(sql, made))
}

const withServer = async <T>(url: string, act: (sql: Sql) => PromiseLike<T>): Promise<T> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    return await act(sql)
  } finally {
    await sql.end()
  }
}

/** The first test that needs the template creates it. It gets its name when it is complete. */
const ensureTemplate = async (sql: Sql, server: string): Promise<void> => {
  if (await hasTemplate(sql)) return
  await sql`select pg_advisory_lock(${templateLock})`
  try {
    if (await hasTemplate(sql)) return
    const unfinished = databaseName()
    await sql`create database ${sql(unfinished)}`
    await withServer(withDatabase(server, unfinished), migratePostgres)
    await sql`alter database ${sql(unfinished)} rename to ${sql(template)}`
  } finally {
    await sql`select pg_advisory_unlock(${templateLock})`
  }
}

const hasTemplate = async (sql: Sql): Promise<boolean> =>
  (await sql`select from pg_database where datname = ${template}`).length > 0

/** The connections that remain after closed ones have disconnected. */
const openConnections = async (sql: Sql, name: string): Promise<string[]> => {
  const end = performance.now() + disconnectMs
  for (;;) {
    const rows = await sql<{ application: string; state: string | null; query: string }[]>`
      select application_name as application, state, left(query, 120) as query
      from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`
    if (rows.length === 0 || performance.now() >= end) {
      return rows.map((row) => `${row.application} (${row.state ?? 'unknown'}) last ran ${row.query}`)
    }
    await wait(disconnectPollMs)
  }
}
