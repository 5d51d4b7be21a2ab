import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeAll, expect, test, vi } from 'vitest'
import { baselineMigrations } from './baseline.ts'
import { connectPostgres } from './connect.ts'
import { appliedPostgresMigrations, migratePostgres, postgresMigrations } from './migrate.ts'

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 6 })
let all: string[]
beforeAll(async () => {
  all = await postgresMigrations()
})

const emptyDatabase = () => sql.unsafe('drop schema public cascade; create schema public')

/** A database of the version of 2026-11-29. The first migration after it locks `secrets`. */
const migrateEarlier = async (): Promise<void> => {
  await emptyDatabase()
  await migratePostgres(sql, { names: baselineMigrations })
}

test('a running version keeps serving while a migration waits for its locks and while it runs', async () => {
  await migrateEarlier()
  const account = '0199aaaa-0000-7000-8000-000000000001'
  await sql`insert into accounts (id, name, tier, created_at) values (${account}, 'a', 'scale', now())`
  const write = () => sql`
    insert into secrets (id, account_id, name, hosts, value, created_at, updated_at)
    values (gen_random_uuid(), ${account}, gen_random_uuid(), '{}', '', now(), now())`
  const read = () => sql`select from secrets where account_id = ${account}`

  // a long read of the table that the next migration locks
  const reading = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const reader = sql.begin(async (tx) => {
    await tx`select from secrets limit 1`
    begun.resolve()
    await reading.promise
  })
  await begun.promise
  const migrating = migratePostgres(sql)
  const isWaiting = async (): Promise<boolean> =>
    (
      await sql`
        select from pg_locks where relation = 'secrets'::regclass and not granted
          and mode = 'AccessExclusiveLock'`
    ).length > 0
  for (let round = 0; round < 3; round++) {
    await vi.waitFor(async () => expect(await isWaiting()).toBe(true), { interval: 10 })
    // these would wait behind the migration if its lock request did not time out
    await Promise.all([read(), write()])
  }
  expect(await appliedPostgresMigrations(sql)).toEqual([...baselineMigrations])
  reading.resolve()
  await reader
  await migrating
  expect(await appliedPostgresMigrations(sql)).toEqual(all)
  await Promise.all([read(), write()])
})

test.each<[string, () => PromiseLike<unknown>]>([
  ['an empty database', emptyDatabase],
  ['a database of an earlier version', migrateEarlier],
])('several migrators that start at once on %s apply each migration once', async (_, begin) => {
  await begin()
  await Promise.all([migratePostgres(sql), migratePostgres(sql), migratePostgres(sql)])
  expect(await appliedPostgresMigrations(sql)).toEqual(all)
})

test('a database that has some of the later migrations gets the others, and nothing twice', async () => {
  const times = () => sql`select applied_at from migrations order by name`
  for (let had = baselineMigrations.length; had <= all.length; had += 4) {
    await migrateEarlier()
    await migratePostgres(sql, { names: all.slice(0, had) })
    const before = [...(await times())]
    expect(before).toHaveLength(had)
    await migratePostgres(sql)
    expect(await appliedPostgresMigrations(sql)).toEqual(all)
    expect((await times()).slice(0, had)).toEqual(before)
  }
})

test('a database from before the baseline is refused, with the version to go through, and stays as it is', async () => {
  await emptyDatabase()
  const [first = '', second] = baselineMigrations
  await sql`create table migrations (name text primary key, applied_at timestamptz not null default now())`
  await sql`insert into migrations (name) values (${first})`
  const refused = `lacks the migration ${second}: it is of a version before 2026-11-29. Upgrade it to that version`
  await expect(migratePostgres(sql)).rejects.toThrow(refused)
  await expect(migratePostgres(sql, { names: [first] })).rejects.toThrow(refused)
  expect(await sql`select from pg_tables where schemaname = 'public'`).toHaveLength(1)
  expect(await appliedPostgresMigrations(sql)).toEqual([first])
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
      /migration 0136-baseline\.sql failed and was rolled back: .*alter role ROLE createrole/,
    )
  } finally {
    await weak.end()
    await sql.unsafe(`drop database ${name}`)
    await sql.unsafe(`drop role ${name}`)
  }
})
