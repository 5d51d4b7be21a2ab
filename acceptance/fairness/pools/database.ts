import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'

let opened: Promise<{ sql: Sql; close(): Promise<void> }> | null = null

const open = async () => {
  const database = await createTestDatabase()
  const sql = connectPostgres(database.url, { role: 'probe_mesh_system', connectionsMax: 8 })
  const close = async (): Promise<void> => {
    await sql.end()
    await database.close()
  }
  return { sql, close }
}

/** One database for all cases with rows in Postgres, opened by the first of them. */
export const testSql = async (): Promise<Sql> => {
  opened ??= open()
  return (await opened).sql
}

export const closeTestSql = async (): Promise<void> => {
  await (await opened)?.close()
}
