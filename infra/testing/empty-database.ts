import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** What the migrations put into a database. */
export type Content = {
  tables: string[]
  /** The rows of each table that has any, as JSON. */
  rows: Map<string, string>
  schema: string
}

/** Reads a database that no test has used yet. */
export const readContent = async (sql: Sql): Promise<Content> => {
  const found = await sql<{ name: string }[]>`
    select quote_ident(relname) as name from pg_class
    where relnamespace = to_regnamespace('public') and relkind = 'r' order by relname`
  const tables = found.map(({ name }) => name)
  const rows = new Map<string, string>()
  for (const table of await filled(sql, tables)) {
    const [all] = await sql.unsafe<{ rows: string }[]>(`select json_agg(t)::text as rows from ${table} t`)
    rows.set(table, all?.rows ?? '[]')
  }
  return { tables, rows, schema: await schemaOf(sql) }
}

/**
 * Makes a used database as new, without the triggers and foreign keys of its tables.
 * @returns false if its schema was changed; it is left as it is
 */
export const isEmptied = async (sql: Sql, content: Content): Promise<boolean> => {
  if ((await schemaOf(sql)) !== content.schema) return false
  const statements = (await filled(sql, content.tables)).map((table) => `delete from ${table}`)
  await sql.begin(async (tx) => {
    await tx.unsafe(`set local session_replication_role = replica; ${statements.join(';')}`)
    for (const [table, rows] of content.rows) {
      await tx`insert into ${tx.unsafe(table)} overriding system value
        select * from json_populate_recordset(null::${tx.unsafe(table)}, ${rows}::text::json)`
    }
    await tx`select setval(quote_ident(sequencename)::regclass, start_value, false) from pg_sequences
      where schemaname = 'public' and last_value is not null`
  })
  return true
}

/** The tables that have rows. */
const filled = async (sql: Sql, tables: readonly string[]): Promise<string[]> => {
  const each = tables.map((table) => `select '${table}' as name where exists (select from ${table})`)
  return (await sql.unsafe<{ name: string }[]>(each.join(' union all '))).map(({ name }) => name)
}

/** Changes with every change of a definition or of a right. */
const schemaOf = async (sql: Sql): Promise<string> => {
  const [row] = await sql<{ hash: string }[]>`
    select md5(string_agg(line, chr(10) order by line)) as hash from (
      select concat_ws(' ', 'class', relname, relkind, relacl, reloptions, relrowsecurity, relforcerowsecurity)
        from pg_class where relnamespace = to_regnamespace('public')
      union all select concat_ws(' ', 'column', attrelid::regclass, attname, atttypid, attnotnull, attacl)
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = to_regnamespace('public') and attnum > 0
      union all select concat_ws(' ', 'default', adrelid::regclass, adnum, pg_get_expr(adbin, adrelid)) from pg_attrdef
      union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
        from pg_constraint where connamespace = to_regnamespace('public')
      union all select concat_ws(' ', 'function', proname, prosrc, proacl, prosecdef)
        from pg_proc where pronamespace = to_regnamespace('public')
      union all select concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal
      union all select concat_ws(' ', 'policy', tablename, policyname, roles, cmd, qual, with_check) from pg_policies
      union all select concat_ws(' ', 'schema', nspname, nspacl) from pg_namespace where nspname !~ '^pg_(temp|toast)'
      union all select concat_ws(' ', 'setting', setconfig) from pg_db_role_setting join pg_database
        on pg_database.oid = setdatabase where datname = current_database()
    ) as lines (line)`
  return row?.hash ?? ''
}
