import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { beforeAll, inject } from 'vitest'
import { closeWithFile } from './close-with-file.ts'
import { databaseName, withDatabase } from './database-name.ts'
import { lazy } from './lazy.ts'

type SingleClickHouse = ReturnType<typeof connectClickHouse>

/** It closes with the file too. */
export type TestClickHouse = { readonly url: string; close(): Promise<void> }

/** A database for the tests of a file: read it in hooks and tests. `use` opens a client when a test needs it. */
export const useTestClickHouse = (): TestClickHouse & { use(): SingleClickHouse } => {
  const use = (): SingleClickHouse => {
    let client: SingleClickHouse | undefined
    const open = (): SingleClickHouse => {
      const opened = connectClickHouse(database.url)
      closeWithFile(() => opened.close())
      return opened
    }
    return lazy(() => (client ??= open()))
  }
  const database = { use } as ReturnType<typeof useTestClickHouse>
  beforeAll(async () => void Object.assign(database, await createTestClickHouse()))
  return database
}

/** A client of a database for the tests of a file. */
export const useClickHouse = (): SingleClickHouse => useTestClickHouse().use()

/** The databases that earlier tests of this process used and that are as new again. */
const emptied: string[] = []
/** The definitions of a new database. They are the same for all of a run. */
let schema: string | null = null

/** A migrated database in the ClickHouse of the test run, without rows. */
export const createTestClickHouse = async (): Promise<TestClickHouse> => {
  const server = inject('clickhouseUrl')
  const name = emptied.pop() ?? (await createDatabase(server))
  const url = withDatabase(server, name)
  return {
    url,
    close: closeWithFile(async () => {
      if (await withClient(url, isEmptied)) emptied.push(name)
      else await withClient(server, (client) => client.command({ query: `drop database ${name} sync` }))
    }),
  }
}

const createDatabase = async (server: string): Promise<string> => {
  const name = databaseName()
  await withClient(server, (client) => client.command({ query: `create database ${name} engine = Atomic` }))
  await withClient(withDatabase(server, name), async (client) => {
    await migrateClickHouse(client)
    schema ??= await schemaOf(client)
  })
  return name
}

/** Empties the database, which is faster than a new one. @returns false if its schema was changed */
const isEmptied = async (client: ClickHouse): Promise<boolean> => {
  if ((await schemaOf(client)) !== schema) return false
  const tables = await valuesOf(client, `name`, `engine like '%MergeTree' and name <> 'migrations'`)
  await Promise.all(tables.map((table) => client.command({ query: `truncate table ${table} sync` })))
  return true
}

const schemaOf = async (client: ClickHouse): Promise<string> =>
  (await valuesOf(client, `replaceAll(create_table_query, database, '')`, 'true order by name')).join()

const valuesOf = async (client: ClickHouse, value: string, where: string): Promise<string[]> => {
  const query = `select ${value} as value from system.tables where database = currentDatabase() and ${where}`
  const result = await client.query({ query, format: 'JSONEachRow' })
  return (await result.json<{ value: string }>()).map((row) => row.value)
}

const withClient = async <T>(url: string, act: (client: SingleClickHouse) => Promise<T>): Promise<T> => {
  const client = connectClickHouse(url)
  try {
    return await act(client)
  } finally {
    await client.close()
  }
}
