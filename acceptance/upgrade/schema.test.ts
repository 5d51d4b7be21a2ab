import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { checkOutFormerVersion, hasCommit } from '@probe-mesh/infra/testing/former-version'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { formerCommit } from './versions.ts'

/** What the migrations made, a line for each column, rule, index, function, trigger, policy, right, type and row. */
const schemaOf = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ line: string }[]>`
    with t as (select * from pg_class where relnamespace = 'public'::regnamespace)
    select concat_ws(' ', 'relation', relname, relkind, relpersistence, relacl, relrowsecurity, relforcerowsecurity,
      reloptions) as line from t where relkind <> 'c'
    union all select concat_ws(' ', 'column', t.relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull,
      attidentity, attgenerated, attstorage, pg_get_expr(adbin, adrelid))
      from t join pg_attribute on attrelid = t.oid left join pg_attrdef on adrelid = t.oid and adnum = attnum
      where attnum > 0 and not attisdropped and t.relkind in ('r', 'c')
    union all select concat_ws(' ', 'rule', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select concat_ws(' ', 'index', pg_get_indexdef(oid)) from t where relkind = 'i'
    union all select concat_ws(' ', 'function', proacl, pg_get_functiondef(oid))
      from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid))
      from pg_trigger join t on t.oid = tgrelid where not tgisinternal
    union all select concat_ws(' ', 'policy', tablename, policyname, roles, cmd, qual, with_check) from pg_policies
    union all select concat_ws(' ', 'right', defaclrole::regrole, defaclobjtype, defaclacl) from pg_default_acl
    union all select 'migration ' || name from migrations
    union all select 'row ' || partition_leases::text from partition_leases
    union all select 'row ' || schema_epoch::text from schema_epoch`
  // a dropped column leaves a gap in the numbers of the others
  const places = new Map<string, number>()
  return rows
    .map(({ line }) => line)
    .toSorted(
      (a, b) =>
        (Number(/^column \S+ (\d+)/.exec(a)?.[1]) || 0) - (Number(/^column \S+ (\d+)/.exec(b)?.[1]) || 0),
    )
    .map((line) =>
      line.replace(/^column (\S+) \d+/, (_, table: string) => {
        places.set(table, (places.get(table) ?? 0) + 1)
        return `column ${table} ${places.get(table)}`
      }),
    )
    .toSorted()
}

test(
  'a new database is what an upgrade from 2026-11-29 gives, to each column, rule and row',
  { timeout: 120_000 },
  async (context) => {
    if (!(await hasCommit(formerCommit))) return context.skip(`this clone has no commit ${formerCommit}`)
    const [fresh, upgraded] = [await createTestDatabase(), await createTestDatabase()]
    const former = await checkOutFormerVersion(formerCommit)
    const [a, b] = [fresh, upgraded].map(({ url }) => connectPostgres(url, { connectionsMax: 1 })) as [
      Sql,
      Sql,
    ]
    try {
      const stores = './control-plane/src/stores/postgres'
      for (const sql of [a, b]) await sql.unsafe('drop schema public cascade; create schema public')
      await former.evaluate(`
      const { connectPostgres } = await import('${stores}/connect.ts')
      const { migratePostgres } = await import('${stores}/migrate.ts')
      const sql = connectPostgres(${JSON.stringify(upgraded.url)}, { connectionsMax: 1 })
      await migratePostgres(sql)
      await sql.end()`)
      await Promise.all([migratePostgres(a), migratePostgres(b)])
      const schema = await schemaOf(a)
      expect(schema.length).toBeGreaterThan(1_000)
      expect(await schemaOf(b)).toEqual(schema)
    } finally {
      await Promise.all([a.end(), b.end()])
      await Promise.all([former.close(), fresh.close(), upgraded.close()])
    }
  },
)
