import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import postgres from 'postgres'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migratedTables, missingTables, tablesOfMigrations } from './migrate.ts'
import { serverState } from './server-state.ts'

const database = useTestDatabase()
const sql = database.use()
const open = (options: object = {}) => {
  const session = postgres(database.url, { max: 1, onnotice: () => undefined, ...options })
  onTestFinished(() => session.end({ timeout: 1 }))
  return session
}

test('a server that accepts writes and blocks nobody has no finding', async () => {
  expect(await serverState(sql)).toEqual({ readOnly: null, blocking: [], roleLimit: null })
})

test('a server without writes says where that is set', async () => {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`
  await sql.unsafe(`alter database "${row?.name}" set default_transaction_read_only = on`)
  const session = open()
  expect((await serverState(session)).readOnly).toMatchObject({
    by: 'setting',
    source: 'database',
    database: row?.name,
  })
  await session.unsafe(
    `begin read write; alter database "${row?.name}" reset default_transaction_read_only; commit`,
  )
  expect((await serverState(open())).readOnly).toBeNull()
})

test('names the session that others wait for, and not those that wait', { timeout: 30_000 }, async () => {
  const [holder, waiter] = [open({ connection: { application_name: 'psql' } }), open()]
  const [own] = await holder<{ pid: number }[]>`select pg_backend_pid() as pid`
  await holder.unsafe('begin; lock table checks in access exclusive mode')
  const waiting = waiter`select from checks`.execute().catch(() => undefined)
  await vi.waitFor(
    async () =>
      expect((await serverState(sql)).blocking).toMatchObject([
        { pid: own?.pid, application: 'psql', state: 'idle in transaction', waiting: 1, tables: ['checks'] },
      ]),
    { timeout: 20_000 },
  )
  await holder.unsafe('rollback')
  await waiting
  expect((await serverState(sql)).blocking).toEqual([])
})

test('a missing table is named, with its new name after a rename', async () => {
  const tables = await migratedTables()
  expect(await missingTables(sql, tables)).toEqual([])
  await sql`alter table saved_filters rename to other`
  expect(await missingTables(sql, tables)).toEqual([{ name: 'saved_filters', renamedTo: 'other' }])
  await sql`drop table other`
  expect(await missingTables(sql, tables)).toEqual([{ name: 'saved_filters', renamedTo: null }])
})

test('the tables of migrations are those that are created and not dropped', () => {
  const texts = [
    'create table a (id int);\nCREATE TABLE if not exists b (x int);',
    'drop table a;\ncreate table c ();',
  ]
  expect(tablesOfMigrations(texts)).toEqual(['b', 'c'])
})
