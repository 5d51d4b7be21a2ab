import type { NatsServerFacts } from '@probe-mesh/bus/nats/system-mark'
import { connectClickHouseAt } from '@probe-mesh/control-plane/stores/clickhouse/open'
import type { ClickHouseAddress } from '@probe-mesh/control-plane/stores/clickhouse/open'
import { clickhouseVersion } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Logger } from 'pino'
import { tooOld } from './server-versions.ts'
import { untilThere } from './until-there.ts'

/** The servers that a program was told of; null: it has its own. */
type GivenServers = {
  databaseUrl: string | null
  clickhouse: ClickHouseAddress | null
  readNats: (() => Promise<NatsServerFacts>) | null
}

/**
 * Waits until the servers answer, before anything is changed on them.
 * @returns the id of the system that NATS carries
 * @throws Error that says which one does not answer, refuses or is too old, and what to do
 */
export const awaitServers = async (
  { databaseUrl, clickhouse, readNats }: GivenServers,
  log: Logger,
): Promise<string | null> => {
  const [nats, ofPostgres, ofClickHouse] = await Promise.all([
    readNats === null ? null : untilThere('NATS', readNats, log),
    databaseUrl === null
      ? null
      : untilThere('Postgres', () => askPostgres(databaseUrl), log, { url: databaseUrl }),
    clickhouse === null ? null : untilThere('ClickHouse', () => queryClickHouse(clickhouse), log),
  ])
  const old = tooOld({
    Postgres: ofPostgres,
    ClickHouse: ofClickHouse,
    NATS: nats?.version ?? null,
  })
  if (old.length > 0) throw new Error(old.join(' '))
  return nats?.system ?? null
}

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
export const queryClickHouse = async (address: ClickHouseAddress): Promise<string> => {
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
