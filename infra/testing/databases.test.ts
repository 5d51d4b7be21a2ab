import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { insertReadings } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { expect, test } from 'vitest'
import { createTestClickHouse } from './clickhouse.ts'
import { createTestDatabase } from './postgres.ts'

test('creates databases with the migrated tables concurrently, which share no rows', async () => {
  const databases = await Promise.all([createTestDatabase(), createTestDatabase()])
  const counts: number[] = []
  for (const { url } of databases) {
    const sql = connectPostgres(url, { connectionsMax: 1 })
    await sql`insert into deleted_checks (check_id, account_id, deleted_at)
      values (gen_random_uuid(), gen_random_uuid(), now())`
    counts.push((await sql`select from deleted_checks`).length)
    await sql.end()
  }
  expect(counts).toEqual([1, 1])
  await Promise.all(databases.map((database) => database.close()))
})

test('a database that another test used is as new: rows, sequences and what the migrations put there', async () => {
  const all = async (url: string): Promise<string> => {
    const sql = connectPostgres(url, { connectionsMax: 1 })
    const [tables] = await sql`
      select query_to_xml('select * from migrations order by name', true, true, '')::text
        || query_to_xml('select * from accounts', true, true, '')::text
        || query_to_xml('select sequencename, last_value from pg_sequences order by 1', true, true, '')::text as text`
    await sql.end()
    return tables?.['text']
  }
  const first = await createTestDatabase()
  const before = await all(first.url)
  const sql = connectPostgres(first.url, { connectionsMax: 1 })
  await sql`insert into deleted_checks (check_id, account_id, deleted_at)
    values (gen_random_uuid(), gen_random_uuid(), now())`
  await sql`delete from migrations`
  await sql`select nextval(quote_ident(sequencename)::regclass) from pg_sequences`
  await sql.end()
  expect(await all(first.url)).not.toBe(before)
  await first.close()
  const second = await createTestDatabase()
  expect(second.url).toBe(first.url)
  expect(await all(second.url)).toBe(before)
  await second.close()
})

test('a database whose schema a test changed is not used again', async () => {
  const changes = [
    'alter table checks add column z int',
    'create index z on checks (name)',
    'create table z ()',
  ]
  for (const change of changes) {
    const database = await createTestDatabase()
    const sql = connectPostgres(database.url, { connectionsMax: 1 })
    await sql.unsafe(change)
    await sql.end()
    await database.close()
    const next = await createTestDatabase()
    expect(next.url).not.toBe(database.url)
    await next.close()
  }
})

test('fails the close of a database with an open connection and names the connection', async () => {
  const database = await createTestDatabase()
  const sql = connectPostgres(database.url, { connectionsMax: 1 })
  await sql`select 'left open'`
  await expect(database.close()).rejects.toThrow(/1 connections .* probe-mesh \(idle\).*left open/)
  await sql.end({ timeout: 1 })
})

test('a ClickHouse database that another test used has its tables and no rows, unless its schema was changed', async () => {
  const first = await createTestClickHouse()
  const client = connectClickHouse(first.url)
  const rowsOf = async (table: string): Promise<number> => {
    const result = await client.query({ query: `select count() as n from ${table}`, format: 'JSONEachRow' })
    return (await result.json<{ n: number }>())[0]?.n ?? Number.NaN
  }
  const applied = await rowsOf('migrations')
  const [checkId, at] = [uuidv7(Date.now()), Date.now()]
  const reading = { ...readingAt('fra', 'up', at), checkId }
  await insertReadings(
    client,
    [{ reading, agent: 'fra-1', receivedAtMs: at, ...tiersDefault.scale }],
    uuidv7(at),
  )
  expect([await rowsOf('readings_raw'), await rowsOf('readings_minute')]).toEqual([1, 1])
  await first.close()
  const second = await createTestClickHouse()
  expect(second.url).toBe(first.url)
  expect([await rowsOf('readings_raw'), await rowsOf('readings_minute')]).toEqual([0, 0])
  expect(await rowsOf('migrations')).toBe(applied)
  await client.command({ query: 'alter table readings_raw add column z UInt8' })
  await second.close()
  const third = await createTestClickHouse()
  expect(third.url).not.toBe(first.url)
  await third.close()
  await client.close()
})
