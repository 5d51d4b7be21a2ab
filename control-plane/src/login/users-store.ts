import { isTaken, type Connection, type Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

export type UserRecord = {
  id: string
  accountId: string
  email: string
  passwordHash: string
  createdAtMs: number
}

/** @throws the unique violation that `isEmailTaken` recognises if the address has a user */
export const insertUser = async (
  db: Connection,
  user: UserRecord,
  name: string | null = null,
): Promise<void> => {
  await db`
    insert into users (id, account_id, email, password_hash, created_at, name)
    values (${user.id}, ${user.accountId}, ${user.email}, ${user.passwordHash},
      ${new Date(user.createdAtMs)}, ${name})`
}

/** Stores that an address is verified, by a mailed link or by the operator. */
export const confirmUser = async (db: Connection, userId: string, nowMs: number): Promise<void> => {
  await db`
    update users set confirmed_at = ${new Date(nowMs)}
    where id = ${userId} and confirmed_at is null`
}

export const isEmailTaken = (error: unknown): boolean => isTaken(error, 'users_email')

const userColumns = (db: Connection) => db`
  id, account_id as "accountId", email, password_hash as "passwordHash", ${epochMs(db, 'created_at')} as "createdAtMs"`

/** The user with an e-mail address, in any case. */
export const findUserByEmail = async (db: Connection, email: string): Promise<UserRecord | null> => {
  const [row] = await db<UserRecord[]>`
    select ${userColumns(db)} from users where lower(email) = lower(${email})`
  return row ?? null
}

/** The user, locked until the transaction ends, so that changes of password and sessions are serialised. */
export const lockUser = async (tx: Transaction, userId: string): Promise<UserRecord | null> => {
  const [row] = await tx<UserRecord[]>`
    select ${userColumns(tx)} from users where id = ${userId} for no key update`
  return row ?? null
}

export const updateUserPassword = async (
  db: Connection,
  userId: string,
  passwordHash: string,
): Promise<void> => {
  await db`update users set password_hash = ${passwordHash} where id = ${userId}`
}
