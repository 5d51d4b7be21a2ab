import type { Connection } from '../stores/postgres/connect.ts'

export type SignUpRecord = { id: string; email: string; createdAtMs: number; expiresAtMs: number }

/** @param tokenHash sha-256 of the token that was mailed */
export const insertSignUp = async (
  db: Connection,
  signUp: SignUpRecord,
  tokenHash: Uint8Array,
): Promise<void> => {
  await db`
    insert into sign_ups (id, email, token_hash, created_at, expires_at)
    values (${signUp.id}, ${signUp.email}, ${tokenHash}, ${new Date(signUp.createdAtMs)},
      ${new Date(signUp.expiresAtMs)})`
}

/** The address that a link would open an account for, which uses nothing up; null where it opens none. */
export const findSignUpEmail = async (
  db: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<string | null> => {
  const [row] = await db<{ email: string }[]>`
    select email from sign_ups where token_hash = ${tokenHash} and expires_at > ${new Date(nowMs)}`
  return row?.email ?? null
}

/**
 * Uses a link up, and every other one that the address was mailed.
 * @returns the address, or null where there is no such link, or none any more
 */
export const takeSignUp = async (
  db: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<string | null> => {
  const [row] = await db<{ email: string }[]>`
    delete from sign_ups where token_hash = ${tokenHash} and expires_at > ${new Date(nowMs)}
    returning email`
  if (row === undefined) return null
  await db`delete from sign_ups where lower(email) = lower(${row.email})`
  return row.email
}
