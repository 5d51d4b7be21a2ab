import {
  appliedClickHouseMigrations,
  clickhouseMigrations,
} from '@probe-mesh/control-plane/clickhouse/migrate'
import {
  arrivalFacts,
  clickhouseDisks,
  clickhouseNowMs,
  clickhouseVersion,
} from '@probe-mesh/control-plane/clickhouse/server-facts'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'
import { databaseFacts } from '@probe-mesh/control-plane/postgres/doctor-facts'
import {
  appliedPostgresMigrations,
  postgresMigrations,
} from '@probe-mesh/control-plane/postgres/migrate'
import type { ClickHouseFacts, Migrations, PostgresFacts } from '../findings/store-findings.ts'
import { gatherMsMax, skewOf } from './gather.ts'

type Asked<T> = { migrations: Migrations; facts: T | null }

/** What Postgres says; without figures where it was never migrated to them. */
export const gatherPostgres = async (
  url: string,
  now: () => number,
): Promise<Asked<PostgresFacts>> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    const startedAt = performance.now()
    const applied = await appliedPostgresMigrations(sql)
    const tookMs = performance.now() - startedAt
    const known = await postgresMigrations()
    const migrations = { known, applied }
    // tables of later migrations are asked for
    if (known.some((name) => !applied.includes(name))) return { migrations, facts: null }
    const sentAtMs = now()
    const database = await databaseFacts(sql)
    // the clock is asked by the second of several statements: most of them come after it
    const skewMs = skewOf(database.nowMs, sentAtMs, Math.min(now(), sentAtMs + 2 * tookMs))
    return { migrations, facts: { database, skewMs, tookMs } }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** What ClickHouse says. */
export const gatherClickHouse = async (
  url: string,
  now: () => number,
): Promise<{ migrations: Migrations; facts: ClickHouseFacts }> => {
  const clickhouse = connectClickHouse(url)
  try {
    const startedAt = performance.now()
    const version = await clickhouseVersion(clickhouse)
    const tookMs = performance.now() - startedAt
    const sentAtMs = now()
    const theirMs = await clickhouseNowMs(clickhouse)
    const skewMs = skewOf(theirMs, sentAtMs, now())
    const migrations = {
      known: await clickhouseMigrations(),
      applied: await appliedClickHouseMigrations(clickhouse),
    }
    const arrivals = migrations.applied.length === 0 ? null : await arrivalFacts(clickhouse)
    const disks = await clickhouseDisks(clickhouse)
    return { migrations, facts: { version, skewMs, tookMs, disks, arrivals } }
  } finally {
    // a connection that hangs is not waited for
    await Promise.race([
      clickhouse.close(),
      new Promise((end) => setTimeout(end, gatherMsMax).unref()),
    ])
  }
}
