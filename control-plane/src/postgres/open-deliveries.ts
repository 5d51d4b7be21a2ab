import type { Connection, Sql } from './connect.ts'

/**
 * Messages that nobody needs any more are dead: not sent in time, for what the last try met.
 * @returns how many, by kind
 */
export const buryExpired = async (
  sql: Sql,
  limit: number,
  nowMs: number,
): Promise<{ kind: 'mail' | 'channel' }[]> => {
  const now = new Date(nowMs)
  return await sql<{ kind: 'mail' | 'channel' }[]>`
    update deliveries set state = 'dead', claimed_until = null,
      last_error = 'not sent in time' || coalesce(': ' || last_error, '')
    where id in (
      select id from deliveries
      where state = 'pending' and expires_at <= ${now}
        and (claimed_until is null or claimed_until <= ${now})
      order by expires_at limit ${limit}
      for update skip locked
    )
    returning kind`
}

/** Without SMTP_URL mail is written and not sent: that is what it says of itself. */
export const keepMails = async (sql: Sql): Promise<number> => {
  const rows = await sql`
    update deliveries set state = 'kept', last_error = 'not sent: SMTP_URL is not set'
    where state = 'pending' and kind = 'mail'`
  return rows.count
}

/** What waits, and since when the oldest of it does. */
export const measureWaiting = async (
  connection: Connection,
): Promise<{ kind: 'mail' | 'channel'; count: number; oldestMs: number }[]> => {
  const rows = await connection<{ kind: 'mail' | 'channel'; count: number; oldest: Date }[]>`
    select kind, count(*)::integer as count, min(created_at) as oldest
    from deliveries where state = 'pending' group by kind`
  return rows.map(({ kind, count, oldest }) => ({ kind, count, oldestMs: oldest.getTime() }))
}

/** Forgets messages that were done with long ago. */
export const pruneDeliveries = async (
  connection: Connection,
  createdBeforeMs: number,
  limit: number,
): Promise<number> => {
  const rows = await connection`
    delete from deliveries where id in (
      select id from deliveries
      where state <> 'pending' and created_at < ${new Date(createdBeforeMs)} limit ${limit})`
  return rows.count
}
