import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { JSONValue } from 'postgres'
import type { Connection, Sql } from './postgres/connect.ts'

/** A message that must be delivered at least once, written in the transaction of its cause. */
export type OutboxRow = { id: string; kind: OutboxKind; payload: unknown; attempts: number }

/**
 * The consumer: `flip` and `incident` go to NATS for live pages, `alert` to the alert rules, `mail` to a
 * page's subscribers, `error` to the alert rules of error tracking.
 */
type OutboxKind = 'flip' | 'incident' | 'alert' | 'mail' | 'error'

/** The duration of a claim. After this the rows of a dead consumer go to the next one. */
const claimSeconds = 30

/**
 * Claims open rows in the order in which they were written. Each row goes to one consumer at a time, and is
 * claimed again if it is not finished within the claim.
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

export const finishOutbox = async (db: Connection, ids: readonly string[], nowMs: number): Promise<void> => {
  await db`update outbox set done_at = ${new Date(nowMs)} where id = any(${[...ids]}::uuid[])`
}

/** Gives claimed rows back, since they could not be delivered. */
export const reopenOutbox = async (db: Connection, ids: readonly string[], nowMs: number): Promise<void> => {
  const at = new Date(nowMs)
  await db`update outbox set next_attempt_at = ${at} where id = any(${[...ids]}::uuid[]) and done_at is null`
}

/** Deletes rows that were delivered long ago. They are kept for a while for people who investigate. */
export const pruneOutbox = async (db: Connection, doneBeforeMs: number): Promise<number> => {
  const rows = await db`delete from outbox where done_at < ${new Date(doneBeforeMs)}`
  return rows.count
}

/** Writes a message in the transaction of its cause, and wakes its consumer. */
export const insertOutbox = async (
  db: Connection,
  kind: OutboxKind,
  payload: JSONValue,
  nowMs: number,
): Promise<void> => {
  await db`
    insert into outbox (id, kind, payload, created_at, next_attempt_at)
    values (${uuidv7(nowMs)}, ${kind}, ${db.json(payload)}, ${new Date(nowMs)}, ${new Date(nowMs)})`
  await db`select pg_notify('outbox', '')`
}
