import { setTimeout as wait } from 'node:timers/promises'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { beforeAll, inject } from 'vitest'
import { closeWithFile } from './close-with-file.ts'
import { databaseName, withDatabase } from './database-name.ts'
import { isEmptied, readContent, type Content } from './empty-database.ts'
import { lazyFunction } from './lazy.ts'

const template = 'migrated'
/** Any constant, the same for all workers of a run. */
const templateLock = 727_002
/** How long the server may keep a closed connection. */
const disconnectMs = 5_000
const disconnectPollMs = 10

type PoolOptions = NonNullable<Parameters<typeof connectPostgres>[1]>
type Role = PoolOptions['role']

export type TestDatabase = {
  readonly url: string
  /**
   * A pool that later tests use too, since a new connection costs as much as tens of statements. Its `end` ends only
   * what it listens to.
   */
  pool(role?: Role): Sql
  /** Opens a pool that ends before the database closes. */
  connect(options?: PoolOptions): Sql
  /** Runs after the file too. @throws Error that names the open connections of a test; the database is dropped anyway */
  close(): Promise<void>
}

/** A database for the tests of a file: read it in hooks and tests. `use` opens a pool when a test needs it. */
export const useTestDatabase = (): TestDatabase & { use(options?: PoolOptions): Sql } => {
  const use = (options: PoolOptions = {}): Sql => {
    let sql: Sql | undefined
    const open = (): Sql =>
      options.connectionsMax === undefined ? database.pool(options.role) : database.connect(options)
    return lazyFunction(() => (sql ??= open()))
  }
  const database = { use } as ReturnType<typeof useTestDatabase>
  beforeAll(async () => void Object.assign(database, await createTestDatabase()))
  return database
}

/** A pool of a database for the tests of a file. */
export const useTestSql = (options?: PoolOptions): Sql => useTestDatabase().use(options)

type Kept = { name: string; pools: Map<Role, Sql> }

/** The databases that earlier tests of this process used and that are as new again. */
const emptied: Kept[] = []
/** What a new database contains. It is the same for all of a run. */
let content: Content | null = null

/** A migrated database in the Postgres of the test run, with nothing but what the migrations put there. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const server = inject('postgresUrl')
  const kept = emptied.pop() ?? { name: await createDatabase(server), pools: new Map() }
  const url = withDatabase(server, kept.name)
  const own: Sql[] = []
  const connect = (options?: PoolOptions): Sql => {
    const sql = connectPostgres(url, options)
    own.push(sql)
    return sql
  }
  return {
    url,
    pool: (role) => {
      const pool = kept.pools.get(role) ?? openKept(url, role)
      kept.pools.set(role, pool)
      return viewOf(pool, () => connect({ connectionsMax: 1, ...(role && { role }) }))
    },
    connect,
    close: closeWithFile(async () => {
      await Promise.all(own.map((sql) => sql.end()))
      const leaked = await withServer(server, (sql) => openConnections(sql, kept.name))
      if (leaked.length === 0 && (await isReusable(kept, url))) {
        emptied.push(kept)
        return
      }
      await Promise.all([...kept.pools.values()].map((sql) => sql.end({ timeout: 1 })))
      await withServer(server, (sql) => sql`drop database ${sql(kept.name)} with (force)`)
      if (leaked.length === 0) return
      throw new Error(
        `${leaked.length} connections to the database of the test are open: ${leaked.join('; ')}`,
      )
    }),
  }
}

const keptName = 'probe-mesh-tests'

const openKept = (url: string, role?: Role): Sql => {
  const sql = connectPostgres(url, { connectionsMax: 8, ...(role && { role }) })
  sql.options.connection.application_name = keptName
  return sql
}

/** The pool as one that ends: what a test listens to must not outlive it. */
const viewOf = (pool: Sql, connect: () => Sql): Sql => {
  let listening: Sql | undefined
  const own = {
    listen: (...parameters: Parameters<Sql['listen']>) => (listening ??= connect()).listen(...parameters),
    end: async () => listening?.end(),
  }
  return new Proxy(pool, { get: (target, key) => Reflect.get(key in own ? own : target, key) })
}

const createDatabase = async (server: string): Promise<string> => {
  const name = databaseName()
  await withServer(server, async (sql) => {
    await ensureTemplate(sql, server)
    await sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`
  })
  content ??= await withServer(withDatabase(server, name), readContent)
  return name
}

/**
 * Empties the database, which is faster than a new one. A test that changed the schema or ended the connections gets
 * no second use.
 */
const isReusable = async ({ pools }: Kept, url: string): Promise<boolean> => {
  const pool = pools.get(undefined) ?? openKept(url)
  pools.set(undefined, pool)
  return content !== null && (await isEmptied(pool, content).catch(() => false))
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
      from pg_stat_activity where datname = ${name} and backend_type = 'client backend'
        and (application_name <> ${keptName} or state <> 'idle')`
    if (rows.length === 0 || performance.now() >= end) {
      return rows.map((row) => `${row.application} (${row.state ?? 'unknown'}) last ran ${row.query}`)
    }
    await wait(disconnectPollMs)
  }
}
