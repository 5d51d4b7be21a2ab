import type { Connection } from './connect.ts'

/** A `timestamptz` column as Unix milliseconds, for a select list. */
export const epochMs = (db: Connection, column: string) =>
  db`floor(extract(epoch from ${db(column)}) * 1000)::float8`
