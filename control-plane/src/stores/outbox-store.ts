import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { JSONValue } from 'postgres'
import type { Connection, Sql } from './postgres/connect.ts'

/** Something that must be told to the outside at least once, written with what caused it. */
export type OutboxRow = { id: string; kind: OutboxKind; payload: unknown; attempts: number }

/**
 * Who tells it: `flip` and `incident` go to the bus for live pages, `alert` to the alert rules, `mail`
 * to a page's subscribers, `error` to the alert rules of error tracking.
 */
export type OutboxKind = 'flip' | 'incident' | 'alert' | 'mail' | 'error'

/** How long a claim lasts: a drainer that dies leaves its rows to the next one after this. */
const claimSeconds = 30

/**
 * Claims open rows in the order they were written: each goes to one drainer at a time, and comes
 * back when it is not finished within the claim.
 */
export const claimOutbox = async (
  sql: Sql,
  kinds: readonly OutboxKind[],
  limit: number,
  nowMs: number,
): Promise<OutboxRow[]> =>
  await sql<OutboxRow[]>`
    with claimed as (
      update outbox set
        attempts = attempts + 1,
        next_attempt_at = ${new Date(nowMs)}::timestamptz + make_interval(secs => ${claimSeconds})
      where id in (
        select id from outbox
        where done_at is null and next_attempt_at <= ${new Date(nowMs)}
          and kind = any(${[...kinds]})
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

/** Writes what must be told, in the transaction of what caused it, and wakes whoever tells it. */
export const insertOutbox = async (
  transaction: Connection,
  kind: OutboxKind,
  payload: JSONValue,
  nowMs: number,
): Promise<void> => {
  await transaction`
    insert into outbox (id, kind, payload, created_at, next_attempt_at)
    values (${uuidv7(nowMs)}, ${kind}, ${transaction.json(payload)}, ${new Date(nowMs)}, ${new Date(nowMs)})`
  await transaction`select pg_notify('outbox', '')`
}
