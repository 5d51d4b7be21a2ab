import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { connectPostgres } from './connect.ts'
import { migratePostgres, postgresMigrations } from './migrate.ts'

/** Accounts by age, from before the operator's own was marked. */
const markedOf = async (accounts: readonly { id: string; isInLog: boolean }[]) => {
  const database = await createTestDatabase()
  const sql = connectPostgres(database.url, { connectionsMax: 2 })
  onTestFinished(async () => {
    await sql.end()
    await database.close()
  })
  const all = await postgresMigrations()
  const before = all.slice(0, all.indexOf('0043-operators-account.sql'))
  await sql.unsafe('drop schema public cascade; create schema public')
  await migratePostgres(sql, { names: before })
  for (const [index, { id, isInLog }] of accounts.entries()) {
    const at = new Date(1_700_000_000_000 + index)
    await sql`insert into accounts (id, name, tier, created_at) values (${id}, 'a', 'scale', ${at})`
    if (!isInLog) continue
    await sql`
      insert into audit_log (id, account_id, actor_kind, actor_name, action, resource_type, resource_id, at)
      values (${uuidv7(at.getTime())}, ${id}, 'operator', 'operator', 'createAccount', 'account', ${id}, ${at})`
  }
  await migratePostgres(sql)
  const rows = await sql<{ id: string }[]>`select id from accounts where is_operators`
  return rows.map(({ id }) => id)
}

const [first, second] = [uuidv7(1), uuidv7(2)]

test('marks the first account of the operator, whichever accounts came later', async () => {
  const accounts = [
    { id: first, isInLog: true },
    { id: second, isInLog: true },
  ]
  expect(await markedOf(accounts)).toEqual([first])
})

test('the account of the catalog does not count', async () => {
  const accounts = [
    { id: catalogAccountId, isInLog: false },
    { id: first, isInLog: true },
  ]
  expect(await markedOf(accounts)).toEqual([first])
})

test('an account that is not the oldest belongs to its customer only', async () => {
  const accounts = [
    { id: first, isInLog: false },
    { id: second, isInLog: true },
  ]
  expect(await markedOf(accounts)).toEqual([])
})
