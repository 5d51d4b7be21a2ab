import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeAll, expect, test, vi } from 'vitest'
import { connectPostgres } from './connect.ts'
import { appliedPostgresMigrations, migratePostgres, postgresMigrations } from './migrate.ts'

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 6 })
let all: string[]
/** The state before the first migration that locks `error_issues`. */
let earlier: string[]
beforeAll(async () => {
  all = await postgresMigrations()
  earlier = all.slice(0, all.indexOf('0022-error-alerts.sql'))
})

/** A database of an earlier version. */
const migrateEarlier = async (): Promise<void> => {
  await sql.unsafe('drop schema public cascade; create schema public')
  await migratePostgres(sql, { names: earlier })
}

test('a running version keeps serving while a migration waits for its locks and while it runs', async () => {
  await migrateEarlier()
  const account = '0199aaaa-0000-7000-8000-000000000001'
  const project = '0199aaaa-0000-7000-8000-000000000002'
  const issue = '0199aaaa-0000-7000-8000-000000000003'
  await sql`insert into accounts (id, name, tier, created_at) values (${account}, 'a', 'scale', now())`
  const columns = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and table_name = 'error_issues' and is_nullable = 'NO'
      and column_default is null and is_identity = 'NO'`
  expect(columns.map(({ column }) => column)).toContain('account_id')
  await sql`
    insert into error_projects (id, account_id, name, created_at)
    values (${project}, ${account}, 'p', now())`
  const write = () => sql`update error_projects set name = name || '.' where id = ${project}`
  const read = () => sql`select from error_issues where id = ${issue}`

  // a long read of the table that the next migration locks
  const reading = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const reader = sql.begin(async (tx) => {
    await tx`select from error_issues limit 1`
    begun.resolve()
    await reading.promise
  })
  await begun.promise
  const migrating = migratePostgres(sql)
  const isWaiting = async (): Promise<boolean> =>
    (
      await sql`
        select from pg_locks where relation = 'error_issues'::regclass and not granted
          and mode = 'AccessExclusiveLock'`
    ).length > 0
  for (let round = 0; round < 3; round++) {
    await vi.waitFor(async () => expect(await isWaiting()).toBe(true), { interval: 10 })
    // these would wait behind the migration if its lock request did not time out
    await Promise.all([read(), write()])
  }
  expect(await appliedPostgresMigrations(sql)).toEqual(earlier)
  reading.resolve()
  await reader
  await migrating
  expect(await appliedPostgresMigrations(sql)).toEqual(all)
  await Promise.all([read(), write()])
})

test('several migrators that start at once apply each migration once', async () => {
  await migrateEarlier()
  await Promise.all([migratePostgres(sql), migratePostgres(sql), migratePostgres(sql)])
  expect(await appliedPostgresMigrations(sql)).toEqual(all)
})

test('the error for a role that may not create roles names the missing permission and who can grant it', async () => {
  const name = `weak_${process.pid}`
  await sql.unsafe(`create role ${name} login password 'p'`)
  await sql.unsafe(`create database ${name} owner ${name}`)
  const url = new URL(database.url)
  Object.assign(url, { username: name, password: 'p', pathname: name })
  const weak = connectPostgres(url.href, { connectionsMax: 1 })
  try {
    await expect(migratePostgres(weak)).rejects.toThrow(
      /migration 0006-isolation\.sql failed and was rolled back: .*alter role ROLE createrole/,
    )
  } finally {
    await weak.end()
    await sql.unsafe(`drop database ${name}`)
    await sql.unsafe(`drop role ${name}`)
  }
})
