import { setTimeout as wait } from 'node:timers/promises'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { inject } from 'vitest'
import { databaseName, withDatabase } from './database-name.ts'

const template = 'migrated'
/** Any constant, the same for all workers of a run. */
const templateLock = 727_002
/** A closed connection's server side may outlive it by a moment. */
const goodbyeMs = 5_000
const goodbyePollMs = 10

export type TestDatabase = {
  readonly url: string
  /** @throws Error that names the connections a test left open; the database is dropped all the same */
  close(): Promise<void>
}

/** A fresh database with all migrations in the run's Postgres. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const server = inject('postgresUrl')
  const name = databaseName()
  await withServer(server, async (sql) => {
    await ensureTemplate(sql, server)
    await sql`create database ${sql(name)} template ${sql(template)}`
  })
  return {
    url: withDatabase(server, name),
    close: () =>
      withServer(server, async (sql) => {
        const leaked = await openConnections(sql, name)
        await sql`drop database ${sql(name)} with (force)`
        if (leaked.length === 0) return
        throw new Error(`${leaked.length} connections to the test's database are open: ${leaked.join('; ')}`)
      }),
  }
}

const withServer = async (url: string, act: (sql: Sql) => Promise<void>): Promise<void> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    await act(sql)
  } finally {
    await sql.end()
  }
}

/** The first to need it makes it; it gets its name only when it is complete. */
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

/** What is still connected once everybody who closed has gone. */
const openConnections = async (sql: Sql, name: string): Promise<string[]> => {
  const end = performance.now() + goodbyeMs
  for (;;) {
    const rows = await sql<{ application: string; state: string | null; query: string }[]>`
      select application_name as application, state, left(query, 120) as query
      from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`
    if (rows.length === 0 || performance.now() >= end) {
      return rows.map((row) => `${row.application} (${row.state ?? 'unknown'}) last ran ${row.query}`)
    }
    await wait(goodbyePollMs)
  }
}
