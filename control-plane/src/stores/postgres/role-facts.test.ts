import { expect, test } from 'vitest'
import { missingRight, type RoleFacts } from './role-facts.ts'

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
