import { messageOf } from '@probe-mesh/runtime/errors'
import { open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { fileLimits } from '../file/checks-file.ts'
import type { KumaRows } from './kuma-monitors.ts'
import type { Fields } from './shape.ts'

type ReadDatabase = { ok: true; rows: KumaRows } | { ok: false; message: string }

type Sqlite = { DatabaseSync: typeof DatabaseSync }

/** The first Node version that has it without a flag. */
const nodeNeeded = '22.13'
const header = 'SQLite format 3\u0000'

/** The columns that a check may need; each Uptime Kuma version has some of them. */
const wanted = `id name type url active parent interval method body headers auth_method
  basic_auth_user ignore_tls upside_down maxretries maxredirects accepted_statuscodes_json keyword
  invert_keyword json_path json_path_operator expected_value proxy_id cache_bust ip_family
  expiry_notification domain_expiry_notification description`.split(/\s+/)

/** Longer than any text that a check accepts: a cut text is refused later. */
const textCharactersMax = 20_000

/**
 * Reads the monitors of an Uptime Kuma 1 or 2 database without changing it: only the table
 * `monitor` and tables that are counted, never heartbeats.
 * @param path of `kuma.db`; a `-wal` file next to it is read too
 * @param load loads `node:sqlite`, which only this function needs
 */
export const readKumaDatabase = async (
  path: string,
  load: () => Promise<Sqlite> = () => import('node:sqlite'),
): Promise<ReadDatabase> => {
  const problem = await fileProblem(path)
  if (problem !== null) return { ok: false, message: problem }
  const sqlite = await load().catch(() => null)
  if (sqlite === null) {
    const message = `needs Node ${nodeNeeded} or newer; or import the backup (JSON) of Uptime Kuma 1`
    return { ok: false, message: `reading a database ${message}` }
  }
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    try {
      return readRows(database)
    } finally {
      database.close()
    }
  } catch (error) {
    return { ok: false, message: `the database cannot be read: ${messageOf(error)}` }
  }
}

/** SQLite accepts an empty file as an empty database, and reports any other file as corrupt. */
const fileProblem = async (path: string): Promise<string | null> => {
  try {
    await using file = await open(path, 'r')
    if (!(await file.stat()).isFile()) return 'is not a file'
    const { buffer, bytesRead } = await file.read(Buffer.alloc(header.length), 0, header.length, 0)
    return buffer.toString('latin1', 0, bytesRead) === header ? null : 'is not a SQLite database'
  } catch (error) {
    return `cannot be opened: ${messageOf(error)}`
  }
}

const readRows = (database: DatabaseSync): ReadDatabase => {
  const columns = columnsOf(database, 'monitor')
  if (!['id', 'name', 'type', 'url'].every((column) => columns.has(column))) {
    return {
      ok: false,
      message: 'is not a database of Uptime Kuma: it lacks the expected table monitor',
    }
  }
  const list = wanted.filter((column) => columns.has(column)).map(bounded)
  const monitors = database
    .prepare(`select ${list.join(', ')} from monitor order by id limit ${fileLimits.checksMax + 1}`)
    .all() as Fields[]
  const tags = columnsOf(database, 'monitor_tag').has('monitor_id')
    ? new Set(database.prepare('select distinct monitor_id from monitor_tag').all().map(idOf))
    : new Set()
  return {
    ok: true,
    rows: {
      monitors: monitors.map((row) => ({ ...row, tags: tags.has(row.id) })),
      counts: {
        notifications: countOf(database, 'notification'),
        statusPages: countOf(database, 'status_page'),
        maintenance: countOf(database, 'maintenance'),
      },
    },
  }
}

const idOf = (row: Fields): unknown => row.monitor_id

const columnsOf = (database: DatabaseSync, table: string): Set<unknown> =>
  new Set(
    database
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map((row) => row.name),
  )

const bounded = (column: string): string =>
  `case when typeof("${column}") in ('text', 'blob') then substr("${column}", 1, ${textCharactersMax})
    else "${column}" end as "${column}"`

const countOf = (database: DatabaseSync, table: 'notification' | 'status_page' | 'maintenance') => {
  if (columnsOf(database, table).size === 0) return 0
  return Number(database.prepare(`select count(*) as count from "${table}"`).get()?.count ?? 0)
}
