import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { missingRight, roleFacts } from '@probe-mesh/control-plane/stores/postgres/role-facts'
import { databaseFacts } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import {
  appliedPostgresMigrations,
  postgresMigrations,
} from '@probe-mesh/control-plane/stores/postgres/migrate'
import type { Migrations, PostgresFacts } from '../findings/store-findings.ts'
import { skewOf } from './gather.ts'

/** `missing`: the statement that its role needs before the migrations can be applied. */
type Asked<T> = { migrations: Migrations; facts: T | null; missing: string | null }

/** The migration that makes roles. */
const ofRoles = '0006-isolation.sql'

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
    if (known.some((name) => !applied.includes(name))) {
      const role = applied.includes(ofRoles) ? null : await roleFacts(sql)
      return { migrations, facts: null, missing: role === null ? null : missingRight(role) }
    }
    const sentAtMs = now()
    const database = await databaseFacts(sql)
    // the clock is asked by the second of several statements: most of them come after it
    const skewMs = skewOf(database.nowMs, sentAtMs, Math.min(now(), sentAtMs + 2 * tookMs))
    return { migrations, facts: { database, skewMs, tookMs }, missing: null }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
