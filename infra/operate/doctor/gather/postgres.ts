import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import {
  findLostRights,
  missingRight,
  roleFacts,
  type LostRight,
} from '@probe-mesh/control-plane/stores/postgres/role-facts'
import { serverState, type ServerState } from '@probe-mesh/control-plane/stores/postgres/server-state'
import { databaseFacts } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import {
  appliedPostgresMigrations,
  migratedTables,
  missingTables,
  postgresMigrations,
  type MissingTable,
} from '@probe-mesh/control-plane/stores/postgres/migrate'
import type { Migrations, PostgresFacts } from '../findings/store-findings.ts'
import { skewOf } from './gather.ts'

/** What one look at Postgres found. */
export type GatheredPostgres = {
  server: ServerState
  /** null: a lock or missing table prevents the look. */
  migrations: Migrations | null
  facts: PostgresFacts | null
  /** The statement that grants the role what the migrations need. */
  missing: string | null
  missingTables: readonly MissingTable[]
  lostRights: readonly LostRight[]
}

/** The migration that creates roles. */
const ofRoles = '0006-isolation.sql'

/** Facts of Postgres; without figures if migrations or tables are missing, or locked. */
export const gatherPostgres = async (
  url: string,
  now: () => number,
  patience: number,
): Promise<GatheredPostgres> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  try {
    const startedAt = performance.now()
    await sql`select 1`
    const tookMs = performance.now() - startedAt
    const server = await serverState(sql)
    try {
      return { server, ...(await readDatabase(sql, { now, tookMs, patience })) }
    } catch (error) {
      // a session that blocks a table is a finding, which names the reason
      if (server.blocking.length === 0) throw error
      return { server, migrations: null, facts: null, missing: null, missingTables: [], lostRights: [] }
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const readDatabase = async (
  sql: Sql,
  { now, tookMs, patience }: { now: () => number; tookMs: number; patience: number },
): Promise<Omit<GatheredPostgres, 'server'>> => {
  const applied = await appliedPostgresMigrations(sql)
  const known = await postgresMigrations()
  const migrations = { known, applied }
  // the queries need tables of later migrations
  if (known.some((name) => !applied.includes(name))) {
    const role = applied.includes(ofRoles) ? null : await roleFacts(sql)
    const missing = role === null ? null : missingRight(role)
    return { migrations, facts: null, missing, missingTables: [], lostRights: [] }
  }
  const tables = await migratedTables()
  const lost = await missingTables(sql, tables)
  const lostRights = await findLostRights(sql, tables)
  const state = { migrations, missing: null, missingTables: lost, lostRights }
  if (lost.length > 0) return { ...state, facts: null }
  const sentAtMs = now()
  const database = await databaseFacts(sql, patience)
  // the second of several statements reads the clock, so later ones do not count
  const skewMs = skewOf(database.nowMs, sentAtMs, Math.min(now(), sentAtMs + 2 * tookMs))
  return { ...state, facts: { database, skewMs, tookMs } }
}
