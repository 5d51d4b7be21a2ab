import { errorCode } from './connect.ts'
import type { Connection } from './connect.ts'

export type UserRecord = {
  id: string
  accountId: string
  email: string
  passwordHash: string
  createdAtMs: number
}

/** @throws the unique violation that `isEmailTaken` recognises when the address has a user already */
export const insertUser = async (connection: Connection, user: UserRecord): Promise<void> => {
  await connection`
    insert into users (id, account_id, email, password_hash, created_at)
    values (${user.id}, ${user.accountId}, ${user.email}, ${user.passwordHash},
      ${new Date(user.createdAtMs)})`
}

export const isEmailTaken = (error: unknown): boolean =>
  errorCode(error) === '23505' &&
  typeof error === 'object' &&
  error !== null &&
  'constraint_name' in error &&
  error.constraint_name === 'users_email'
