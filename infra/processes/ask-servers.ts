import { connectClickHouseAt } from '@probe-mesh/control-plane/clickhouse/open'
import type { ClickHouseAddress } from '@probe-mesh/control-plane/clickhouse/open'
import { clickhouseVersion } from '@probe-mesh/control-plane/clickhouse/server-facts'
import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'

/** @returns its version. @throws where it does not answer, or refuses */
export const askPostgres = async (url: string): Promise<string> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    const [row] = await sql<{ version: string }[]>`
      select current_setting('server_version') as version`
    return row?.version ?? 'unknown'
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** @returns its version. @throws where it does not answer, or refuses, or has no such database */
export const askClickHouse = async (address: ClickHouseAddress): Promise<string> => {
  const clickhouse = connectClickHouseAt(address)
  try {
    const answer = await clickhouse.ping({ select: true })
    if (!answer.success) throw answer.error
    // a table that is looked for needs the database, which a bare question may not
    await clickhouse.command({ query: 'exists table migrations' })
    return await clickhouseVersion(clickhouse)
  } finally {
    await clickhouse.close()
  }
}
