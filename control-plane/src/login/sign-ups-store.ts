import type { Connection } from '../stores/postgres/connect.ts'

type SignUpRecord = { id: string; email: string; createdAtMs: number; expiresAtMs: number }

/** @param tokenHash the sha-256 of the mailed token */
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

/** The address of a valid link, which is not consumed; null for an invalid link. */
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
 * Consumes a link and deletes all other links of the address.
 * @returns the address, or null for an invalid link
 */
export const consumeSignUp = async (
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
