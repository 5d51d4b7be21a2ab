import type { Connection, Fragment } from '../../stores/postgres/connect.ts'

/** SQL: whether a row of `checks` has a tag, in any case. @param tag a text, or the column with it */
export const hasTag = (db: Connection, tag: string | null | Fragment): Fragment =>
  db`exists (select from unnest(checks.tags) as own (tag) where lower(own.tag) = lower(${tag}))`
