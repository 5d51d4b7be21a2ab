import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { describe, expect, test } from 'vitest'
import { acceptsWrites, connectPostgres } from './connect.ts'
import { migratedTables } from './migrate.ts'
import { findLostRights, missingRight, type RoleFacts } from './role-facts.ts'

const role: RoleFacts = {
  name: 'mesh',
  isSuperuser: false,
  mayCreateRoles: false,
  serverMajor: 15,
  present: 0,
  grantable: 0,
}
const createrole = 'alter role "mesh" createrole'
const grant = 'grant probe_mesh_account, probe_mesh_system to "mesh" with admin option'

test.each<[string, Partial<RoleFacts>, string | null]>([
  ['a superuser', { isSuperuser: true }, null],
  ['one that may create roles on a new server', { mayCreateRoles: true }, null],
  ['one that may not, on a new server', {}, createrole],
  ['one that may not, where 15 has the roles', { present: 2 }, createrole],
  ['one that may, where 15 has the roles', { present: 2, mayCreateRoles: true }, null],
  ['one that may grant the roles', { present: 2, grantable: 2 }, null],
  [
    'one on version 16 where another role created them',
    { present: 2, mayCreateRoles: true, serverMajor: 16 },
    grant,
  ],
  [
    'one that created them on version 16',
    { present: 2, grantable: 2, mayCreateRoles: true, serverMajor: 16 },
    null,
  ],
  ['one that may not, where 16 has the roles', { present: 2, serverMajor: 16 }, grant],
  ['one that may not, on a new 16', { serverMajor: 16 }, createrole],
])('%s', (_, over, statement) => {
  expect(missingRight({ ...role, ...over })).toBe(statement)
})

test('quotes a name that needs it', () => {
  expect(missingRight({ ...role, name: 'a "b"' })).toBe('alter role "a ""b""" createrole')
})

describe('tables in order', () => {
  const database = useTestDatabase()
  const sql = database.use({ connectionsMax: 2 })

  test('a migrated database lacks no right', async () => {
    expect(await findLostRights(sql, await migratedTables())).toEqual([])
  })

  test('lost rights are named', async () => {
    await sql`revoke insert on flips from probe_mesh_system`
    await sql`revoke insert, update on checks from probe_mesh_account`
    const found = await findLostRights(sql, await migratedTables())
    await sql`grant insert on flips to probe_mesh_system`
    await sql`grant insert, update on checks to probe_mesh_account`
    expect(found).toEqual([
      { table: 'checks', role: 'probe_mesh_account', right: 'insert' },
      { table: 'flips', role: 'probe_mesh_system', right: 'insert' },
    ])
  })

  test('a read-only session accepts no writes', async () => {
    const readOnly = connectPostgres(`${database.url}?default_transaction_read_only=on`, {
      connectionsMax: 1,
    })
    expect([await acceptsWrites(sql), await acceptsWrites(readOnly)]).toEqual([true, false])
    await readOnly.end()
  })
})
