import type { Connection, Sql } from './connect.ts'

/** Something that must be told to the outside at least once, written with what caused it. */
export type OutboxRow = { id: string; kind: string; payload: unknown; attempts: number }

/** How long a claim lasts: a drainer that dies leaves its rows to the next one after this. */
const claimSeconds = 30

/**
 * Claims open rows in the order they were written: each goes to one drainer at a time, and comes
 * back when it is not finished within the claim.
 */
export const claimOutbox = async (sql: Sql, limit: number, nowMs: number): Promise<OutboxRow[]> =>
  await sql<OutboxRow[]>`
    with claimed as (
      update outbox set
        attempts = attempts + 1,
        next_attempt_at = ${new Date(nowMs)}::timestamptz + make_interval(secs => ${claimSeconds})
      where id in (
        select id from outbox
        where done_at is null and next_attempt_at <= ${new Date(nowMs)}
        order by sequence limit ${limit}
        for update skip locked
      )
      returning id, sequence, kind, payload, attempts
    )
    select id, kind, payload, attempts from claimed order by sequence`

export const finishOutbox = async (
  sql: Connection,
  ids: readonly string[],
  nowMs: number,
): Promise<void> => {
  await sql`update outbox set done_at = ${new Date(nowMs)} where id = any(${[...ids]}::uuid[])`
}

/** Rows told long ago; they are kept a while so that a person can see what was told. */
export const pruneOutbox = async (sql: Connection, doneBeforeMs: number): Promise<number> => {
  const rows = await sql`delete from outbox where done_at < ${new Date(doneBeforeMs)}`
  return rows.count
}
