import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { insertRevision } from '@probe-mesh/control-plane/src/records/check/check-revisions-store'
import { insertCheck } from '@probe-mesh/control-plane/src/records/check/checks-store'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { ensureSystemId } from '@probe-mesh/control-plane/mesh/identity/stored-identity'
import { withDatabase } from '@probe-mesh/infra/testing/database-name'
import { aCheck, createBenchAccount } from '../harness/bench-checks.ts'
import { checkIdOf } from '../harness/bench-ids.ts'

/** Checks per insert statement. */
const checksPerStatement = 10_000

/** Opens a connection, and closes it afterwards. */
export const withPostgres = async <Result>(
  url: string,
  act: (sql: Sql) => Promise<Result>,
): Promise<Result> => {
  const sql = connectPostgres(url, { connectionsMax: 2 })
  try {
    return await act(sql)
  } finally {
    await sql.end()
  }
}

/** Creates a migrated database with the checks 0 to `count - 1`, each in all of these regions. */
export const createCheckedDatabase = async (
  serverUrl: string,
  name: string,
  checks: { count: number; regions: readonly Region[]; intervalSeconds: number },
): Promise<void> => {
  const url = withDatabase(serverUrl, name)
  await withPostgres(serverUrl, (sql) => sql`create database ${sql(name)}`)
  await withPostgres(url, async (sql) => {
    await migratePostgres(sql)
    // copies of one system on one NATS
    await ensureSystemId(sql, uuidv7(Date.now()))
    await createChecks(sql, checks)
  })
}

/** Inserts the first check with the product's own functions and copies it, since single inserts take minutes. */
const createChecks = async (
  sql: Sql,
  { count, ...more }: { count: number; regions: readonly Region[]; intervalSeconds: number },
): Promise<void> => {
  const first = checkIdOf(0)
  const accountId = await createBenchAccount(sql, 'mesh')
  const check = { ...aCheck(first, accountId), ...more, allRegions: false }
  await sql.begin(async (tx) => {
    await insertCheck(tx, check)
    await insertRevision(tx, check)
  })
  for (let from = 1; from < count; from += checksPerStatement) {
    const length = Math.min(checksPerStatement, count - from)
    const ids = Array.from({ length }, (_, n) => checkIdOf(from + n))
    await sql`
      with made as (select * from unnest(${ids}::uuid[], ${ids.map(partitionOf)}::smallint[])
        as made (id, partition)),
      inserted as (
        insert into checks
        select made.id, c.account_id, c.type, c.name, c.url, c.target, c.interval_seconds, c.regions,
          c.all_regions, c.paused, c.private, c.assertions, c.revision, c.valid_from, c.created_at,
          c.updated_at
        from checks c, made where c.id = ${first}
      ),
      revised as (
        insert into check_revisions
        select made.id, r.revision, r.valid_from, r.valid_to, r.regions, r.interval_seconds, r.paused
        from check_revisions r, made where r.check_id = ${first}
      )
      insert into check_states (check_id, partition) select id, partition from made`
  }
  await sql`analyze`
}

/** Copies a database, and drops the copy afterwards. */
export const withCopy = async <Result>(
  serverUrl: string,
  names: { original: string; copy: string },
  act: (url: string) => Promise<Result>,
): Promise<Result> => {
  const { original, copy } = names
  await withPostgres(serverUrl, (sql) => sql`create database ${sql(copy)} template ${sql(original)}`)
  try {
    return await act(withDatabase(serverUrl, copy))
  } finally {
    await withPostgres(serverUrl, (sql) => sql`drop database ${sql(copy)} with (force)`)
  }
}
