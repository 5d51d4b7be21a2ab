import type { Connection, Fragment } from './connect.ts'

/** A `timestamptz` column, or an expression, as Unix milliseconds, for a select list. */
export const epochMs = (db: Connection, of: string | Fragment) =>
  db`floor(extract(epoch from ${typeof of === 'string' ? db(of) : of}) * 1000)::float8`

/** A `timestamptz` column, or an expression, as ISO 8601 in UTC with milliseconds, for a select list. */
export const isoText = (db: Connection, of: string | Fragment) =>
  db`to_char(${typeof of === 'string' ? db(of) : of} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
