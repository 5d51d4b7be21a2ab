import type { Connection } from './connect.ts'

/** Removes sessions, login links, sign-ups and counts of attempts that have expired. @returns how many rows */
export const pruneLogins = async (
  connection: Connection,
  nowMs: number,
  limit: number,
): Promise<number> => {
  const now = new Date(nowMs)
  const sessions = await connection`
    delete from sessions where id in (
      select id from sessions where expires_at <= ${now} limit ${limit})`
  const links = await connection`
    delete from login_links where id in (
      select id from login_links where expires_at <= ${now} limit ${limit})`
  const signUps = await connection`
    delete from sign_ups where id in (
      select id from sign_ups where expires_at <= ${now} limit ${limit})`
  // an attempt that is being counted holds its row, and is not waited for
  const attempts = await connection`
    delete from login_attempts where subject in (
      select subject from login_attempts where expires_at <= ${now} limit ${limit}
      for update skip locked)`
  return sessions.count + links.count + signUps.count + attempts.count
}
