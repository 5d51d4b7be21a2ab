import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** Whether any message waits, or is remembered with the alerts that it carries. */
export const isAnyOpen = async (db: Connection): Promise<boolean> => {
  const [row] = await db<{ isOpen: boolean }[]>`
    select exists (select from deliveries where state = 'pending')
      or exists (select from carried_messages) as "isOpen"`
  return row?.isOpen === true
}

/**
 * Marks expired messages as dead, with the error of the last attempt.
 * @returns the messages, by kind
 */
export const failExpired = async (
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

/** Marks pending mails as not sent, when SMTP_URL is not set. */
export const markMailsNotSent = async (sql: Sql): Promise<number> => {
  const rows = await sql`
    update deliveries set state = 'kept', last_error = 'not sent: SMTP_URL is not set'
    where state = 'pending' and kind = 'mail'`
  return rows.count
}

/** The number of pending messages and the time of the oldest, by kind. */
export const measureWaiting = async (
  db: Connection,
): Promise<{ kind: 'mail' | 'channel'; count: number; oldestMs: number }[]> => {
  return await db<{ kind: 'mail' | 'channel'; count: number; oldestMs: number }[]>`
    select kind, count(*)::integer as count, ${epochMs(db, db`min(created_at)`)} as "oldestMs"
    from deliveries where state = 'pending' group by kind`
}

/** The accounts with the most pending messages, by kind; `null` is mail without an account. */
export const findLargestWaiting = async (
  db: Connection,
  limit: number,
): Promise<{ kind: 'mail' | 'channel'; accountId: string | null; count: number }[]> =>
  await db<{ kind: 'mail' | 'channel'; accountId: string | null; count: number }[]>`
    select kind, account_id as "accountId", count from (
      select kind, account_id, count(*)::integer as count,
        row_number() over (partition by kind order by count(*) desc) as place
      from deliveries where state = 'pending' group by kind, account_id
    ) as counted
    where place <= ${limit} order by kind, count desc`

/**
 * Drops pending messages of an account beyond its limit: the oldest news for subscribers first, alerts
 * last. Messages in flight stay. The account sees dropped messages in its list.
 * @returns the messages, by kind
 */
export const dropExcess = async (
  db: Connection,
  accountId: string,
  waitingMax: number,
): Promise<{ kind: 'mail' | 'channel' }[]> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from deliveries
    where account_id = ${accountId} and state = 'pending' and claimed_until is null`
  const excess = (row?.count ?? 0) - waitingMax
  if (excess <= 0) return []
  return await db<{ kind: 'mail' | 'channel' }[]>`
    update deliveries set state = 'dead', last_error = ${droppedText(waitingMax)}
    where id in (
      select id from deliveries
      where account_id = ${accountId} and state = 'pending' and claimed_until is null
      order by bulk desc, sequence limit ${excess}
      for update skip locked
    )
    returning kind`
}

const droppedText = (waitingMax: number): string =>
  `dropped: the account has more than ${waitingMax} pending messages`

/** Accounts with more pending messages than the limit. */
export const findAccountsOverLimit = async (db: Connection, waitingMax: number): Promise<string[]> => {
  const rows = await db<{ account_id: string }[]>`
    select account_id from deliveries where state = 'pending' and account_id is not null
    group by account_id having count(*) > ${waitingMax}`
  return rows.map((row) => row.account_id)
}

/** Deletes turns that are too old to matter. */
export const pruneTurns = async (db: Connection, servedBeforeMs: number): Promise<void> => {
  await db`
    delete from delivery_turns where served_at < ${new Date(servedBeforeMs)}`
}

/** Deletes finished messages after their retention. */
export const pruneDeliveries = async (
  db: Connection,
  createdBeforeMs: number,
  limit: number,
): Promise<number> => {
  const rows = await db`
    delete from deliveries where id in (
      select id from deliveries
      where state <> 'pending' and created_at < ${new Date(createdBeforeMs)} limit ${limit})`
  return rows.count
}
