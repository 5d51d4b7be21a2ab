import { attemptRowsMax } from '@probe-mesh/contracts/account/login-rules'
import type { Connection } from '../stores/postgres/connect.ts'

/**
 * Deletes expired sessions, login links, sign-ups, invitations, known browsers and networks, and counts of attempts.
 * Deletes also counts beyond the limit, those that expire first. @returns the number of rows
 */
export const pruneLogins = async (
  db: Connection,
  nowMs: number,
  limit: number,
  attemptsMax = attemptRowsMax,
): Promise<number> => {
  const now = new Date(nowMs)
  const sessions = await db`
    delete from sessions where id in (
      select id from sessions where expires_at <= ${now} limit ${limit})`
  const links = await db`
    delete from login_links where id in (
      select id from login_links where expires_at <= ${now} limit ${limit})`
  const signUps = await db`
    delete from sign_ups where id in (
      select id from sign_ups where expires_at <= ${now} limit ${limit})`
  const invitations = await db`
    delete from invitations where id in (
      select id from invitations where expires_at <= ${now} limit ${limit})`
  // skips rows that a running attempt has locked
  const attempts = await db`
    delete from login_attempts where subject in (
      select subject from login_attempts where expires_at <= ${now} limit ${limit}
      for update skip locked)`
  const marks = await db`
    delete from login_marks where mark in (
      select mark from login_marks where expires_at <= ${now} limit ${limit})`
  const beyond = await db`
    delete from login_attempts where subject in (
      select subject from login_attempts order by expires_at
      limit least(${limit}, greatest(0, (select count(*) from login_attempts) - ${attemptsMax}))
      for update skip locked)`
  const pruned = [sessions, links, signUps, invitations, attempts, marks, beyond]
  return pruned.reduce((sum, { count }) => sum + count, 0)
}
