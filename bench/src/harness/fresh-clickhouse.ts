import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { migrateClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/migrate'
import { withDatabase } from '@probe-mesh/infra/testing/database-name'

/**
 * Creates an empty migrated database for `act`, and verifies that it then holds `rows` readings, each once, in
 * the raw table and in both rollups.
 */
export const withFreshClickHouse = async <Answer>(
  serverUrl: string,
  name: string,
  rows: number,
  act: (clickhouseUrl: string) => Promise<Answer>,
): Promise<Answer> =>
  withClickHouseDatabase(serverUrl, name, async (url, database) => {
    const answer = await act(url)
    await verifyStored(database, rows)
    return answer
  })

/** Creates an empty migrated database, and drops it afterwards. */
export const withClickHouseDatabase = async <Answer>(
  serverUrl: string,
  name: string,
  act: (clickhouseUrl: string, database: ClickHouse) => Promise<Answer>,
): Promise<Answer> => {
  const server = connectClickHouse(serverUrl)
  const url = withDatabase(serverUrl, name)
  const database = connectClickHouse(url)
  try {
    await server.command({ query: `create database ${name} engine = Atomic` })
    await migrateClickHouse(database)
    return await act(url, database)
  } finally {
    await server.command({ query: `drop database if exists ${name} sync` })
    await Promise.all([database.close(), server.close()])
  }
}

const verifyStored = async (clickhouse: ClickHouse, rows: number): Promise<void> => {
  const result = await clickhouse.query({
    query: `
      select (select count() from readings_raw) as raw,
        (select uniqExact(check_id, region, slot) from readings_raw) as slots,
        (select sum(up + down + blocked + unmeasured) from readings_minute) as minute,
        (select sum(up + down + blocked + unmeasured) from readings_hour) as hour`,
    format: 'JSONEachRow',
  })
  const [stored] = await result.json<Record<string, number>>()
  const counts = Object.entries(stored ?? {})
  if (counts.length === 4 && counts.every(([, count]) => count === rows)) return
  throw new Error(`stored ${JSON.stringify(stored)} of ${rows} readings`)
}
