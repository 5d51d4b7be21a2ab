import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { Sql, Transaction } from './connect.ts'
import { listOf, quoted, type DatabaseShape, type TableShape } from './snapshot.ts'

/** The limit of loading, ms. */
const loadMsMax = 6 * 3_600_000

/** Loads rows into one table after another. */
export type TableLoader = {
  /** @returns the number of rows in the table afterwards */
  load(table: TableShape, chunks: AsyncIterable<Uint8Array>): Promise<number>
}

/** Whether a database has no data worth keeping: no table, or no account. */
export const isEmptyDatabase = async (sql: Sql): Promise<boolean> => {
  const [found] = await sql<{ accounts: string | null; tables: string }[]>`
    select to_regclass('public.accounts')::text as accounts,
      (select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname <> 'migrations') as tables`
  if (found === undefined || found.tables === '0') return true
  if (found.accounts === null) return false
  return (await sql`select from accounts limit 1`).length === 0
}

/**
 * Replaces the content of a database in one transaction. Our triggers and the row policies are disabled
 * during it: COPY is refused under a policy, and the rows were valid when they were written. Foreign keys are
 * checked.
 */
export const loadTables = async (
  sql: Sql,
  { tables, sequences }: Pick<DatabaseShape, 'tables' | 'sequences'>,
  work: (loader: TableLoader) => Promise<void>,
): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx.unsafe(
      `set local statement_timeout = ${loadMsMax};
       set local idle_in_transaction_session_timeout = ${loadMsMax}`,
    )
    const names = tables.map(({ name }) => name)
    const forced = await tx<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace
        and relforcerowsecurity and relname = any (${names})`
    // includes tables that are not copied and refer to these
    await tx.unsafe(`truncate ${listOf(names)} cascade`)
    for (const name of names) await tx.unsafe(`alter table ${quoted(name)} disable trigger user`)
    for (const { name } of forced) {
      await tx.unsafe(`alter table ${quoted(name)} no force row level security`)
    }
    await work({ load: (table, chunks) => copyIn(tx, table, chunks) })
    for (const { name } of forced) {
      await tx.unsafe(`alter table ${quoted(name)} force row level security`)
    }
    for (const name of names) await tx.unsafe(`alter table ${quoted(name)} enable trigger user`)
    for (const { name, last } of sequences) {
      if (last !== null) await tx`select setval(${quoted(name)}::regclass, ${last})`
    }
  })
}

const copyIn = async (
  tx: Transaction,
  { name, columns }: TableShape,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> => {
  const into = await tx.unsafe(`copy ${quoted(name)} (${listOf(columns)}) from stdin`).writable()
  const done = finished(into)
  // reported at its await
  done.catch(() => undefined)
  for await (const chunk of chunks) {
    if (!into.write(chunk)) await Promise.race([once(into, 'drain'), done])
  }
  into.end()
  await done
  const [count] = await tx<{ rows: string }[]>`select count(*) as rows from ${tx(name)}`
  return Number(count?.rows ?? 0)
}
