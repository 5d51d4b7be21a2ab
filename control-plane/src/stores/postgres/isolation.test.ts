import { randomUUID } from 'node:crypto'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { connectPostgres, type Sql, type Transaction } from './connect.ts'
import { inAccount } from './in-account.ts'

/**
 * Reads the catalog of the migrated database, so that a new table without isolation fails here. The rows are
 * generated from the catalog too.
 */

type Table = {
  name: string
  columns: { name: string; type: string; key: boolean }[]
  /** The owner of a row: an account or its check. */
  owner: 'account_id' | 'id' | 'check_id' | null
}

const roles = ['probe_mesh_account', 'probe_mesh_system'] as const
const permissionDenied = { code: '42501' }

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 2, role: 'probe_mesh_account' })
/** The owner of the tables. */
const owner = database.use({ connectionsMax: 1 })
let tables: Table[]
let isolated: (Table & { owner: string })[]
const accounts = { mine: randomUUID(), other: randomUUID() }
const checks = { mine: randomUUID(), other: randomUUID() }

beforeAll(async () => {
  tables = await readTables()
  isolated = tables.flatMap((table) => (table.owner === null ? [] : [{ ...table, owner: table.owner }]))
  await dropConstraints()
  for (const whose of ['mine', 'other'] as const) {
    const system = connectPostgres(database.url, { connectionsMax: 1, role: 'probe_mesh_system' })
    await system`insert into accounts (id) values (${accounts[whose]})`
    await system`insert into checks (id, account_id) values (${checks[whose]}, ${accounts[whose]})`
    for (const table of isolated) {
      if (!['accounts', 'checks'].includes(table.name)) await insertRow(system, table, whose)
    }
    await system.end()
  }
})

const readTables = async (): Promise<Table[]> => {
  const rows = await owner<Omit<Table, 'owner'>[]>`
    select class.relname as name, json_agg(json_build_object('name', attname,
      'type', format_type(atttypid, null), 'key', attnum = any(coalesce(indkey, ''))
    )) as columns
    from pg_class class join pg_attribute on attrelid = class.oid and attnum > 0
        and not attisdropped and attidentity = ''
      left join pg_index on indrelid = class.oid and indisprimary
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    group by class.relname order by class.relname`
  return rows.map(({ name, columns }) => {
    const has = (column: string): boolean => columns.some((one) => one.name === column)
    const by = has('account_id') ? 'account_id' : has('check_id') ? 'check_id' : null
    return { name, columns, owner: name === 'accounts' ? 'id' : by }
  })
}

/** Disables other constraints: a row needs only a key and an owner. */
const dropConstraints = async (): Promise<void> => {
  await owner.unsafe(`do $$ declare one record; begin
    for one in select conrelid::regclass as name, conname from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('c', 'f') loop
      execute format('alter table %s drop constraint %I', one.name, one.conname);
    end loop;
    for one in select attrelid::regclass as name, attname from pg_attribute
        join pg_class on pg_class.oid = attrelid
        left join pg_index on indrelid = attrelid and indisprimary
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and attnotnull
        and attidentity = '' and not (attnum = any(coalesce(indkey, ''))) loop
      execute format('alter table %s alter column %I drop not null', one.name, one.attname);
    end loop;
  end $$`)
}

type Whose = 'mine' | 'other'

const ownerOf = (table: Table, whose: Whose): string =>
  table.owner === 'check_id' ? checks[whose] : accounts[whose]

const samples: Record<string, () => string> = {
  uuid: randomUUID,
  text: randomUUID,
  bytea: () => `\\x${randomUUID().replaceAll('-', '')}`,
}

const insertRow = async (connection: Sql | Transaction, table: Table, whose: Whose): Promise<void> => {
  const row: Record<string, string> = {}
  for (const { name, type, key } of table.columns) {
    const sample = samples[type] ?? (() => '1')
    if (name === table.owner) row[name] = ownerOf(table, whose)
    else if (name === 'check_id' && key) row[name] = checks[whose]
    else if (key) row[name] = sample()
  }
  await connection`insert into ${connection(table.name)} ${connection(row)}`
}

const inMine = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => inAccount(sql, accounts.mine, work)

/** The owners of the rows that a connection sees in a table. */
const ownersSeen = async (connection: Sql | Transaction, table: Table): Promise<string[]> => {
  const rows = await connection<{ owner: string }[]>`
    select distinct ${connection(table.owner ?? '')} as owner from ${connection(table.name)}`
  return rows.map((row) => row.owner)
}

/** Runs an action on each table in a transaction that is rolled back. */
const undone = async (act: (tx: Transaction) => Promise<unknown>): Promise<unknown> => {
  const undo = new Error('undo')
  let result: unknown
  const work = async (tx: Transaction): Promise<void> => {
    result = await act(tx)
    throw undo
  }
  await inMine(work).catch((error: unknown) => {
    if (error !== undo) result = error
  })
  return result
}

describe('the catalog', () => {
  test('every table of accounts or checks has row-level security, also for its owner', async () => {
    const rows = await owner<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace
        and relrowsecurity and relforcerowsecurity order by relname`
    expect(rows.map((row) => row.name)).toEqual(isolated.map((table) => table.name))
    expect(isolated.length).toBeGreaterThan(15)
  })

  test('each of them has one policy for each role, and no policy for all roles', async () => {
    const rows = await owner<{ name: string; policies: string[] }[]>`
      select tablename as name, array_agg(roles::text || cmd || (qual is not null) || (with_check is not null)
        order by policyname) as policies
      from pg_policies where permissive = 'PERMISSIVE' group by tablename order by tablename`
    const [who] = await owner<{ name: string }[]>`select current_user as name`
    expect(rows.map((row) => row.name)).toEqual(isolated.map((table) => table.name))
    for (const { policies } of rows) {
      expect(policies).toEqual(
        ['probe_mesh_account', who?.name, 'probe_mesh_system'].map((name) => `{${name}}ALLtruetrue`),
      )
    }
  })

  test('neither role bypasses the policies: no superuser, no owner, no member of another role', async () => {
    const rows = await owner`
      select rolname, rolsuper, rolbypassrls, rolcreaterole,
        exists (select from pg_class where relowner = pg_roles.oid) as owns,
        exists (select from pg_auth_members where member = pg_roles.oid) as joined
      from pg_roles where rolname = any(${[...roles]}) order by rolname`
    expect(rows).toEqual(
      roles.map((rolname) => ({
        rolname,
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        owns: false,
        joined: false,
      })),
    )
  })

  test('operations cannot use tables without an account, except to write the outbox and to read where slots are spread', async () => {
    const rows = await owner<{ name: string; may: string[] }[]>`
      select relname as name, array(select may from unnest(array['select', 'insert', 'update', 'delete',
        'truncate', 'references', 'trigger']) as may
        where has_table_privilege('probe_mesh_account', pg_class.oid, may)) as may
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')
        and not relrowsecurity order by relname`
    expect(rows.filter((row) => row.may.length > 0)).toEqual([
      { name: 'outbox', may: ['insert'] },
      // names of regions
      { name: 'spread_regions', may: ['select'] },
    ])
  })

  test('no function lends the rights of its owner', async () => {
    const rows = await owner`
      select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`
    expect(rows).toEqual([])
  })
})

describe('as the role of account operations', () => {
  test('no row of any table is visible before an account is chosen', async () => {
    for (const table of isolated) expect(await ownersSeen(sql, table), table.name).toEqual([])
  })

  test('only rows of the chosen account are visible in any table', async () => {
    for (const table of isolated) {
      const seen = await inMine((tx) => ownersSeen(tx, table))
      expect(seen, table.name).toEqual([ownerOf(table, 'mine')])
    }
  })

  test('no row can be written for another account, in any table', async () => {
    for (const table of isolated) {
      const result = await undone((tx) => insertRow(tx, table, 'other'))
      expect(result, table.name).toMatchObject(permissionDenied)
    }
  })

  test('no row can be given to another account, in any table', async () => {
    for (const table of isolated) {
      const result = await undone(
        (tx) => tx`
          update ${tx(table.name)} set ${tx(table.owner)} = ${ownerOf(table, 'other')}`,
      )
      expect(result, table.name).toMatchObject(permissionDenied)
    }
  })

  test('no row of another account can be changed or deleted, in any table', async () => {
    for (const table of isolated) {
      const statements = [
        (tx: Transaction) => tx`update ${tx(table.name)} set ${tx(table.owner)} = ${tx(table.owner)}
          returning ${tx(table.owner)} as owner`,
        (tx: Transaction) => tx`delete from ${tx(table.name)} returning ${tx(table.owner)} as owner`,
      ]
      for (const statement of statements) {
        const result = await undone(statement)
        if (table.name === 'audit_log') expect(result).toMatchObject(permissionDenied)
        else expect(result, table.name).toEqual([{ owner: ownerOf(table, 'mine') }])
      }
    }
  })

  test('the chosen account ends with its transaction', async () => {
    await inMine(async (tx) => expect(await tx`select from accounts`).toHaveLength(1))
    const one = connectPostgres(database.url, { connectionsMax: 1, role: 'probe_mesh_account' })
    await inAccount(one, accounts.mine, async (tx) => tx`select 1`)
    expect(await one`select from accounts`).toEqual([])
    await one.end()
  })
})
