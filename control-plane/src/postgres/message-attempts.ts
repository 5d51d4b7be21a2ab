import type { StreamMessage } from '@probe-mesh/bus/port'
import type { Sql } from './connect.ts'

/** Who reads a stream: `ingest` and `assess` read the readings, `persist` the error events. */
export type StreamReader = 'ingest' | 'assess' | 'persist'

/** Messages that a process died on while it read them. */
export type FatalRange = { first: number; last: number; storedAtMs: number }

type Place = { consumer: StreamReader; partition: number }

/**
 * Counts a death for what was being read when the former owner of the partition died, and returns all that
 * processes have died on. Of other readers of the same stream the single messages count as well.
 */
export const countDeaths = async (
  sql: Sql,
  { consumer, partition }: Place,
  nowMs: number,
): Promise<FatalRange[]> => {
  await sql`
    update message_attempts set deaths = deaths + 1, under_way = false, at = ${new Date(nowMs)}
    where consumer = ${consumer} and partition = ${partition} and under_way`
  const others: StreamReader[] = consumer === 'persist' ? ['persist'] : ['ingest', 'assess']
  const rows = await sql<{ first: string; last: string; stored_at_ms: string }[]>`
    select first, last, stored_at_ms from message_attempts
    where partition = ${partition} and deaths > 0
      and (consumer = ${consumer} or (consumer = any(${others}) and first = last))`
  return rows.map((row) => ({
    first: Number(row.first),
    last: Number(row.last),
    storedAtMs: Number(row.stored_at_ms),
  }))
}

/** Notes that these messages are about to be read, in place of those before. */
export const noteAttempt = async (
  sql: Sql,
  { consumer, partition }: Place,
  { first, last }: { first: StreamMessage; last: StreamMessage },
  nowMs: number,
): Promise<void> => {
  await sql`
    with survived as (
      delete from message_attempts
      where consumer = ${consumer} and partition = ${partition} and deaths = 0
        and (first, last) <> (${first.sequence}::bigint, ${last.sequence}::bigint)
    )
    insert into message_attempts (consumer, partition, first, last, stored_at_ms, under_way, at)
    values (${consumer}, ${partition}, ${first.sequence}, ${last.sequence}, ${first.storedAt}, true,
      ${new Date(nowMs)})
    on conflict (consumer, partition, first, last) do update set under_way = true, at = excluded.at`
}

/** Nothing is being read under a note any more. Ranges that were searched are forgotten. */
export const endAttempts = async (
  sql: Sql,
  { consumer, partition }: Place,
  searched: boolean,
): Promise<void> => {
  await sql`
    delete from message_attempts
    where consumer = ${consumer} and partition = ${partition}
      and (deaths = 0 or (${searched} and first <> last))`
  await sql`
    update message_attempts set under_way = false
    where consumer = ${consumer} and partition = ${partition} and under_way`
}

/** Messages put aside so long ago that no stream holds them. @returns how many */
export const pruneAttempts = async (sql: Sql, beforeMs: number): Promise<number> => {
  const rows = await sql`delete from message_attempts where at < ${new Date(beforeMs)}`
  return rows.count
}
