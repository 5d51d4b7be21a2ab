import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** What the migrations put into a database. */
export type Content = {
  /** The rows of each table that has any, as JSON. */
  rows: Map<string, string>
  schema: string
}

const ownTables = `
  select quote_ident(relname) from pg_class
  where relnamespace = to_regnamespace('public') and relkind = 'r' order by relname`

/** Reads a database that no test has used yet. */
export const readContent = async (sql: Sql): Promise<Content> => {
  const rows = new Map<string, string>()
  for (const [table] of await sql.unsafe<[string][]>(ownTables).values()) {
    const [all] = await sql.unsafe<{ rows: string | null }[]>(
      `select json_agg(t)::text as rows from ${table} t`,
    )
    if (all?.rows) rows.set(String(table), all.rows)
  }
  return { rows, schema: await schemaOf(sql) }
}

/** Deletes all rows without triggers and foreign keys, and puts the names of filled tables in a setting. */
const deleteAll = `
  do $$
  declare
    named text;
    deleted bigint;
    filled text[] = '{}';
  begin
    set local session_replication_role = replica;
    for named in ${ownTables} loop
      execute 'delete from ' || named;
      get diagnostics deleted = row_count;
      if deleted > 0 then filled = filled || named; end if;
    end loop;
    perform set_config('testing.filled', array_to_string(filled, ', '), true);
  end $$`

/**
 * Makes a used database as new.
 * @returns false if its schema was changed; it is left as it is
 */
export const isEmptied = async (sql: Sql, content: Content): Promise<boolean> => {
  if ((await schemaOf(sql)) !== content.schema) return false
  const filled = await sql.begin(async (tx) => {
    await tx.unsafe(deleteAll)
    for (const [table, rows] of content.rows) {
      await tx`insert into ${tx.unsafe(table)} overriding system value
        select * from json_populate_recordset(null::${tx.unsafe(table)}, ${rows}::text::json)`
    }
    await tx`select setval(quote_ident(sequencename)::regclass, start_value, false) from pg_sequences
      where schemaname = 'public' and last_value is not null`
    const [row] = await tx<{ tables: string }[]>`select current_setting('testing.filled') as tables`
    return row?.tables ?? ''
  })
  // the rows of many tests would slow down every scan
  if (filled !== '') await sql.unsafe(`vacuum (skip_database_stats) ${filled}`)
  return true
}

/** Changes with every definition and right: each change writes a row of a catalog in a new transaction. */
const schemaOf = async (sql: Sql): Promise<string> => {
  const catalogs = [
    'class',
    'attribute',
    'attrdef',
    'constraint',
    'namespace',
    'policy',
    'proc',
    'trigger',
    'type',
  ]
  const each = catalogs.map((name) => `select count(*), max(xmin::text::bigint) from pg_${name}`)
  const settings = `select count(*), hashtext(string_agg(setconfig::text, ' ' order by setrole)) from pg_db_role_setting
    join pg_database on pg_database.oid = setdatabase where datname = current_database()`
  return JSON.stringify(await sql.unsafe([...each, settings].join(' union all ')).values())
}
