import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { beforeAll, inject } from 'vitest'
import { closeWithFile } from './close-with-file.ts'
import { databaseName, withDatabase } from './database-name.ts'

/** It closes with the file too. */
export type TestClickHouse = { readonly url: string; close(): Promise<void> }

/** A database for the tests of a file: read it in hooks and tests. */
export const useTestClickHouse = (): TestClickHouse => {
  const database = {} as TestClickHouse
  beforeAll(async () => void Object.assign(database, await createTestClickHouse()))
  return database
}

/** Creates a migrated database in the ClickHouse of the test run. */
export const createTestClickHouse = async (): Promise<TestClickHouse> => {
  const server = inject('clickhouseUrl')
  const name = databaseName()
  const url = withDatabase(server, name)
  await withClient(server, (client) => client.command({ query: `create database ${name} engine = Atomic` }))
  await withClient(url, migrateClickHouse)
  return {
    url,
    close: closeWithFile(async () => {
      await withClient(server, (client) => client.command({ query: `drop database ${name} sync` }))
    }),
  }
}

const withClient = async (url: string, act: (client: ClickHouse) => Promise<unknown>): Promise<void> => {
  const client = connectClickHouse(url)
  try {
    await act(client)
  } finally {
    await client.close()
  }
}
