import type { NatsServerFacts } from '@probe-mesh/bus/nats/system-mark'
import { connectClickHouseAt, type ClickHouseAddress } from '@probe-mesh/control-plane/stores/clickhouse/open'
import { clickhouseVersion } from '@probe-mesh/control-plane/stores/clickhouse/server-facts'
import { acceptsWrites, connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Logger } from 'pino'
import { ReadOnly, untilAvailable } from './until-available.ts'
import type { ServerName } from './server-remedies.ts'

/** The configured servers; null: embedded. */
type ConfiguredServers = {
  databaseUrl: string | null
  clickhouse: ClickHouseAddress | null
  readNats: (() => Promise<NatsServerFacts>) | null
}

/**
 * Waits until the servers answer, before any change on them.
 * @returns the id of the system that NATS carries
 * @throws Error that names the server which does not answer, refuses or is too old, and what to do
 */
export const awaitServers = async (
  { databaseUrl, clickhouse, readNats }: ConfiguredServers,
  log: Logger,
): Promise<string | null> => {
  const [nats, ofPostgres, ofClickHouse] = await Promise.all([
    readNats === null ? null : untilAvailable('NATS', readNats, log),
    databaseUrl === null
      ? null
      : untilAvailable('Postgres', () => readPostgresVersion(databaseUrl), log, { url: databaseUrl }),
    clickhouse === null ? null : untilAvailable('ClickHouse', () => readClickHouseVersion(clickhouse), log),
  ])
  const old = tooOld({
    Postgres: ofPostgres,
    ClickHouse: ofClickHouse,
    NATS: nats?.version ?? null,
  })
  if (old.length > 0) throw new Error(old.join(' '))
  return nats?.system ?? null
}

/** @throws if the server does not answer, refuses or is read-only */
export const readPostgresVersion = async (url: string): Promise<string> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    if (!(await acceptsWrites(sql))) throw new ReadOnly('it accepts no writes')
    const [row] = await sql<{ version: string }[]>`
      select current_setting('server_version') as version`
    return row?.version ?? 'unknown'
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** @throws if the server does not answer, refuses or lacks the database */
export const readClickHouseVersion = async (address: ClickHouseAddress): Promise<string> => {
  const clickhouse = connectClickHouseAt(address)
  try {
    const answer = await clickhouse.ping({ select: true })
    if (!answer.success) throw answer.error
    // a query for a table fails without the database; a plain query may not
    await clickhouse.command({ query: 'exists table migrations' })
    return await clickhouseVersion(clickhouse)
  } finally {
    await clickhouse.close()
  }
}

/**
 * The supported versions of servers. Versions below `least` are refused; tests run against those in `tried`.
 */
export const serverVersions = {
  Postgres: { least: '15', tried: ['15.18', '18.4'] },
  ClickHouse: { least: '25', tried: ['26.7'] },
  NATS: { least: '2.9', tried: ['2.9.10', '2.10.27'] },
} as const satisfies Record<ServerName, { least: string; tried: readonly string[] }>

/** One line for each server that is too old. Unknown versions pass. */
export const tooOld = (found: Readonly<Record<ServerName, string | null>>): string[] =>
  (Object.keys(serverVersions) as ServerName[]).flatMap((server) => {
    const { least } = serverVersions[server]
    const version = found[server] ?? ''
    return isOlder(version, least)
      ? [`${server} is version ${version}; version ${least} or later is required. Upgrade it.`]
      : []
  })

/** Whether a version such as "15.18 (Debian)" is older than another, part by part. */
const isOlder = (version: string, least: string): boolean => {
  const [mine, wanted] = [version, least].map((text) =>
    (/^v?(\d+(?:\.\d+)*)/.exec(text)?.[1] ?? '').split('.').map(Number),
  )
  if (mine === undefined || wanted === undefined || version === '' || !/^v?\d/.test(version)) return false
  for (const [at, part] of wanted.entries()) {
    const own = mine[at] ?? 0
    if (own !== part) return own < part
  }
  return false
}
