import {
  acceptsWrites as readAcceptsWrites,
  connectPostgres,
} from '@probe-mesh/control-plane/stores/postgres/connect'
import {
  findLackingTables,
  missingRight,
  roleFacts,
} from '@probe-mesh/control-plane/stores/postgres/role-facts'
import { databaseFacts } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import {
  appliedPostgresMigrations,
  migratedTables,
  postgresMigrations,
} from '@probe-mesh/control-plane/stores/postgres/migrate'
import type { Migrations, PostgresFacts } from '../findings/store-findings.ts'
import { skewOf } from './gather.ts'

/** `missing`: the statement that grants the role what the migrations need. */
type GatheredPostgres<T> = { migrations: Migrations; facts: T | null; missing: string | null }

/** The migration that creates roles. */
const ofRoles = '0006-isolation.sql'

/** Facts of Postgres; without figures if migrations are missing. */
export const gatherPostgres = async (
  url: string,
  now: () => number,
): Promise<GatheredPostgres<PostgresFacts>> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    const startedAt = performance.now()
    const applied = await appliedPostgresMigrations(sql)
    const tookMs = performance.now() - startedAt
    const known = await postgresMigrations()
    const migrations = { known, applied }
    // the queries need tables of later migrations
    if (known.some((name) => !applied.includes(name))) {
      const role = applied.includes(ofRoles) ? null : await roleFacts(sql)
      return { migrations, facts: null, missing: role === null ? null : missingRight(role) }
    }
    const [acceptsWrites, lacking] = await Promise.all([
      readAcceptsWrites(sql),
      findLackingTables(sql, await migratedTables()),
    ])
    const state = { isReadOnly: !acceptsWrites, lacking }
    // the figures need every table
    if (lacking.some(({ role }) => role === null))
      return { migrations, facts: { ...state, database: null, skewMs: 0, tookMs }, missing: null }
    const sentAtMs = now()
    const database = await databaseFacts(sql)
    // the second of several statements reads the clock, so later ones do not count
    const skewMs = skewOf(database.nowMs, sentAtMs, Math.min(now(), sentAtMs + 2 * tookMs))
    return { migrations, facts: { ...state, database, skewMs, tookMs }, missing: null }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
