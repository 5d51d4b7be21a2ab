import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** All rows and columns of one table as text. */
export type Dumped = { table: string; text: string }

/** By queries, because the files are compressed. */
export const dumpClickHouse = async (clickhouse: ClickHouse): Promise<Dumped[]> => {
  const named = await clickhouse.query({
    query: `select name from system.tables where database = currentDatabase()
      and engine like '%MergeTree'`,
    format: 'JSONEachRow',
  })
  const dumped: Dumped[] = []
  for (const { name } of await named.json<{ name: string }>()) {
    const rows = await clickhouse.query({
      query: 'select * from {name:Identifier}',
      query_params: { name },
      format: 'JSONEachRow',
    })
    dumped.push({ table: `clickhouse ${name}`, text: await rows.text() })
  }
  return dumped
}

/** By queries, because large values are compressed in the files. */
export const dumpPostgres = async (sql: Sql): Promise<Dumped[]> => {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`
  const dumped: Dumped[] = []
  for (const { name } of tables) {
    const rows = await sql<{ text: string }[]>`select t::text as text from ${sql(name)} t`
    dumped.push({ table: `postgres ${name}`, text: rows.map((row) => row.text).join('\n') })
  }
  return dumped
}
