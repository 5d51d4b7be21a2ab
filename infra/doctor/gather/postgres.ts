import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'
import { databaseFacts } from '@probe-mesh/control-plane/postgres/doctor-facts'
import {
  appliedPostgresMigrations,
  postgresMigrations,
} from '@probe-mesh/control-plane/postgres/migrate'
import type { Migrations, PostgresFacts } from '../findings/store-findings.ts'
import { skewOf } from './gather.ts'

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
